package flagvalue

import (
	"time"

	"github.com/spf13/pflag"
)

// mostTime is the longest time for which a command may be bounded.
const mostTime = 31 * 24 * time.Hour

// Time adds --time, which bounds a command: to is when it must end, the zero Time without the flag.
func Time(f *pflag.FlagSet, to *time.Time) {
	var d time.Duration
	Duration(f, &d, "time", mostTime, "how long the command may take, such as 2m; with less time, results are less precise (default: 50s for a database of up to 1 GiB, otherwise unlimited)")
	f.Lookup("time").Value = &deadline{f.Lookup("time").Value.(*value[time.Duration]), &d, to}
}

// deadline is a duration that begins when it is set.
type deadline struct {
	*value[time.Duration]
	d  *time.Duration
	to *time.Time
}

func (t *deadline) Set(text string) error {
	err := t.value.Set(text)
	if err == nil {
		*t.to = time.Now().Add(*t.d)
	}
	return err
}
