package judge

import (
	"cmp"
	"fmt"

	"getio/numbers/units"
	"getio/record"
)

// setting is what two runs must have in common for a comparison. All settings have as many parts.
type setting []part

// part is a part of a measurement in words, and what to say if it is empty, as in most runs.
type part struct{ text, usual string }

// settingOf returns the setting of a measurement. Version, preset and options of the engine are left out, since
// they are what a change alters; so are the tree that they lead to and the directory that it lies in. Seed and
// number of Gets are left out because runs of any are samples of the same figure.
func settingOf(r *record.Result) setting {
	parts := setting{{text: r.Engine.Name}, {text: datasetOf(r)}, {text: cacheOf(r)}}
	for _, s := range r.Settings() {
		parts = append(parts, part{cmp.Or(s.Identity, s.Text), s.Usual})
	}
	parts = append(parts, part{r.Workload.Lookup, "Gets"}, part{updatesOf(r), "no updates"})
	for i := range parts {
		parts[i].text = units.OneLine(parts[i].text)
	}
	return parts
}

// datasetOf identifies the keys and values. Those of a dataset that getio made follow from how it was made;
// another database is the same if its tables hold as many records or, where they do not state it, as many
// bytes.
func datasetOf(r *record.Result) string {
	d := r.Dataset
	switch {
	case d.Keys > 0:
		return fmt.Sprintf("%s keys (%s, %s, %s, seed %d)", units.ExactCount(int64(d.Keys)), d.Kind, d.Keyspace, d.Values, d.Seed)
	case d.Records > 0:
		return fmt.Sprintf("%s records (%s)", units.Comma(d.Records), d.Kind)
	}
	text := fmt.Sprintf("%s bytes (%s)", units.Comma(d.Bytes), d.Kind)
	for _, t := range r.Tables { // of MDBX
		text += ", table " + t.Name
	}
	return text
}

func cacheOf(r *record.Result) string {
	text := "cache " + units.Exact(r.Cache.Bytes)
	if r.Cache.Shards > 0 {
		text += " in " + units.Plural(int64(r.Cache.Shards), "shard")
	}
	return text
}

func updatesOf(r *record.Result) string {
	before := r.UpdatesBefore()
	return units.Join(units.If(before > 0, units.Plural(before, "update")), r.Updates.Wanted())
}

// name is the setting in one text. It does not depend on other settings, so that it stays the same.
func (s setting) name() string {
	var texts []string
	for _, p := range s {
		texts = append(texts, p.text)
	}
	return units.Join(texts...)
}

// differing returns in which parts two settings differ.
func differing(a, b setting) (at []int) {
	for i := range a {
		if a[i] != b[i] {
			at = append(at, i)
		}
	}
	return at
}

// differences says in which parts a setting differs from the baseline's.
func differences(base, side setting) string {
	say := func(s setting) string {
		var parts []string
		for _, i := range differing(base, side) {
			parts = append(parts, cmp.Or(s[i].text, s[i].usual))
		}
		return units.Join(parts...)
	}
	return fmt.Sprintf("%s in the baseline and %s in the new records", say(base), say(side))
}
