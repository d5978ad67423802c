package judge

import (
	"errors"
	"fmt"

	"getio/numbers/units"
	"getio/record"
)

// ErrRise is wrapped by the error of a gate in which a figure rose, and ErrCannotTell by that of one without a
// verdict on some setting.
var (
	ErrRise       = errors.New("reads rose")
	ErrCannotTell = errors.New("cannot tell whether reads rose")
)

// Failure returns the error with which a gate fails, nil if it passes. Failed self-checks come before rises, and
// rises before settings without a verdict.
func Failure(lines []*record.Gate) error {
	with := func(verdict string) (settings string, any bool) {
		n := 0
		for _, g := range lines {
			if g.Verdict == verdict {
				n++
			}
		}
		return fmt.Sprintf("%d of %s", n, units.Plural(int64(len(lines)), "setting")), n > 0
	}
	if settings, any := with(record.VerdictUnbelievable); any {
		return fmt.Errorf("%w in %s: measure again, and report it if they fail again", record.ErrChecksFailed, settings)
	}
	if settings, any := with(record.GateRise); any {
		return fmt.Errorf("%w by more than %s in %s: find the cause, or renew the baseline if the rise is intended", ErrRise, units.Percent(lines[0].MaxRise), settings)
	}
	if settings, any := with(record.GateCannotTell); any {
		return fmt.Errorf("%w in %s: do what their lines say", ErrCannotTell, settings)
	}
	return nil
}
