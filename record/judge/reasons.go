package judge

import (
	"fmt"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// ofEach joins what there is to say of either run.
func (m *match) ofEach(say func(side string, r *record.Result) string) string {
	var all []string
	for _, s := range []struct {
		name string
		r    *record.Result
	}{{"the baseline", m.base}, {"the new run", m.side}} {
		if s.r == nil {
			continue
		}
		if text := say(s.name, s.r); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", and ")
}

// failed names the self-checks that failed.
func (m *match) failed() string {
	return m.ofEach(func(side string, r *record.Result) string {
		var names []string
		for _, c := range r.Checks.Failed() {
			names = append(names, units.OneLine(c.Name))
		}
		if len(names) == 0 {
			return ""
		}
		return fmt.Sprintf("%s failed self-checks (%s)", side, strings.Join(names, ", "))
	})
}

// unsteady says which run is not known to be steady.
func (m *match) unsteady() string {
	return m.ofEach(func(side string, r *record.Result) string {
		switch io := r.Last(); {
		case io.Steady == nil:
			return side + " has too few Gets to tell whether it is steady: measure more"
		case !*io.Steady:
			return side + " is not steady: measure with a longer warm-up or more Gets"
		}
		return ""
	})
}

// unjudged says which run has no figures of bytes and components by window.
func (m *match) unjudged() string {
	return m.ofEach(func(side string, r *record.Result) string {
		if len(figures(r)) == 1 {
			return side + " has them for the whole run only"
		}
		return ""
	})
}
