package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// match is the measurements of one setting. apart says why they cannot be compared: a side has none and is
// nil, or has another setting.
type match struct {
	setting    setting
	base, side *record.Result
	apart      string
}

// latest returns the latest measurement of each setting, in the order of the settings. Runs of comparisons are
// left out: a comparison makes several of each setting, and judges them itself.
func latest(all []*record.Result) (one []*record.Result) {
	at := map[string]int{}
	for _, r := range all {
		if r.ComparisonRun != nil {
			continue
		}
		name := settingOf(r).name()
		i, known := at[name]
		switch {
		case !known:
			at[name] = len(one)
			one = append(one, r)
		case !r.Time.Before(one[i].Time):
			one[i] = r
		}
	}
	return one
}

// matched pairs the measurements of equal settings, those of the baseline in their order. Those left over are
// paired with the one from which they differ least, so that the reason can say in what.
func matched(base, side []*record.Result) (matches []*match) {
	var left []*match // the measurements of the other side
	for _, r := range side {
		left = append(left, &match{setting: settingOf(r), side: r})
	}
	for _, r := range base {
		matches = append(matches, &match{setting: settingOf(r), base: r})
	}
	unpaired := func(m *match) bool { return m.side == nil }
	for parts := 0; len(left) > 0 && slices.ContainsFunc(matches, unpaired); parts++ {
		for _, m := range matches {
			i := slices.IndexFunc(left, func(l *match) bool { return len(differing(m.setting, l.setting)) == parts })
			if unpaired(m) && i >= 0 {
				m.side = left[i].side
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	for _, m := range matches {
		if unpaired(m) {
			m.apart = "the new records do not have this setting: measure it"
		} else if other := settingOf(m.side); len(differing(m.setting, other)) > 0 {
			m.apart = "the settings differ, with " + differences(m.setting, other) + ": measure the same one"
		}
	}
	for _, l := range left {
		l.apart = "the baseline does not have this setting: add a record of it"
	}
	return append(matches, left...)
}

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

// changesOf returns the differences between the runs that may have caused a rise: versions and options.
func changesOf(base, side *record.Result) (changes []record.GateChange) {
	add := func(name, was, is string) {
		if was != is {
			changes = append(changes, record.GateChange{Name: name, Base: was, New: is})
		}
	}
	add("version", base.Engine.Version, side.Engine.Version)
	add("preset", base.Engine.Preset, side.Engine.Preset)
	names := slices.Concat(slices.Collect(maps.Keys(base.Engine.Options)), slices.Collect(maps.Keys(side.Engine.Options)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		add(name, base.Engine.Options[name], side.Engine.Options[name])
	}
	add("getio", base.Environment.Getio, side.Environment.Getio)
	return changes
}
