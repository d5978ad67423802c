package measure

import (
	"fmt"
	"strings"

	"getio/load"
	"getio/numbers/units"
)

const (
	fastestPace = "max"      // what ParsePace calls as many updates as can be made
	mostPace    = 10_000_000 // more than any library takes
)

// ParsePace parses how many keys are overwritten a second, such as 20k, or max.
func ParsePace(s string) (*load.Pace, error) {
	if s == fastestPace {
		return new(load.Pace), nil
	}
	n, err := units.ParseCount(strings.TrimPrefix(s, "-"))
	if err == nil && (s[0] == '-' || n < 1 || n > mostPace) {
		err = fmt.Errorf("out of range, want 1 to %d", mostPace)
	}
	if err != nil {
		return nil, fmt.Errorf("%w, or %s", err, fastestPace)
	}
	pace := load.Pace(n)
	return &pace, nil
}
