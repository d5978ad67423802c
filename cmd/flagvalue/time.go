package flagvalue

import (
	"time"

	"github.com/spf13/pflag"
)

// mostTime is the longest time for which a command may be bounded.
const mostTime = 31 * 24 * time.Hour

// Time adds --time, which bounds a command: to is when it must end, the zero Time without the flag.
func Time(f *pflag.FlagSet, to *time.Time) {
	Var(f, to, "time", "duration", "", func(s string) (time.Time, error) {
		d, err := durationUpTo(mostTime)(s)
		return time.Now().Add(d), err
	}, "how long the command may take, such as 2m; with less time, results are less precise (default: 50s for a database of up to 1 GiB, otherwise unlimited)")
}
