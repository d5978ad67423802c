package judge

import (
	"slices"

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
	at := map[setting]int{}
	for _, r := range all {
		if r.ComparisonRun != nil {
			continue
		}
		i, known := at[settingOf(r)]
		switch {
		case !known:
			at[settingOf(r)] = len(one)
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
	for parts := range len(setting{}) + 1 {
		for _, m := range matches {
			if m.side != nil {
				continue
			}
			if i := slices.IndexFunc(left, func(l *match) bool { return len(differing(m.setting, l.setting)) == parts }); i >= 0 {
				m.side = left[i].side
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	for _, m := range matches {
		if m.side == nil {
			m.apart = "the new records do not have this setting: measure it"
		} else if other := settingOf(m.side); other != m.setting {
			m.apart = "the settings differ, with " + differences(m.setting, other) + ": measure the same one"
		}
	}
	for _, l := range left {
		l.apart = "the baseline does not have this setting: add a record of it"
	}
	return append(matches, left...)
}
