package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// settingParts are what two runs must have in common for a comparison: each part of a measurement in words, and what to
// say where it has none, as in most runs.
var settingParts = [...]struct {
	of    func(*record.Result) string
	usual string
}{
	{of: func(r *record.Result) string { return r.Engine.Name }},
	{of: datasetOf},
	{of: cacheOf},
	{keysOf, "existing keys, equally popular"},
	{operationOf, "Gets"},
	{of: func(r *record.Result) string { return units.Plural(int64(r.Workload.Workers), "worker") }},
	{warmupOf, "warm-up auto"},
	{updatesOf, "no updates"},
	{rateOf, "each Get after the one before"},
}

// setting is the parts of one measurement.
type setting [len(settingParts)]string

// settingOf returns the setting of a measurement. Version, preset and options of the engine are left out, since
// they are what a change alters; so are the tree that they lead to and the directory that it lies in. Seed and
// number of Gets are left out because runs of any are samples of the same figure.
func settingOf(r *record.Result) (s setting) {
	for i, part := range settingParts {
		s[i] = units.OneLine(part.of(r))
	}
	return s
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

// keysOf says which keys the Gets request. Those of a trace follow one another, so other Gets of it are not
// a sample of the same figure.
func keysOf(r *record.Result) string {
	w := r.Workload
	if w.TraceSHA256 != "" {
		return fmt.Sprintf("trace %s, %s operations from %s on", short(w.TraceSHA256), units.ExactCount(w.Gets), units.ExactCount(w.WarmupGets+1))
	}
	var parts []string
	if popularity := w.Popularity.String(); popularity != "" {
		parts = append(parts, popularity)
	}
	if w.KeysSHA256 != "" {
		parts = append(parts, "keys file "+short(w.KeysSHA256))
	}
	if w.HitFraction < 1 {
		parts = append(parts, fmt.Sprintf("%.6g%% of the keys absent", 100*(1-w.HitFraction)))
	}
	return strings.Join(parts, ", ")
}

// short is the beginning of a hash.
func short(hash string) string { return hash[:min(len(hash), 12)] }

func operationOf(r *record.Result) string {
	w := r.Workload
	if w.Operation == "" {
		return w.Lookup
	}
	return strings.TrimSpace(fmt.Sprintf("%s of %s %s", w.Operation, units.Plural(int64(w.KeysPerOperation), "key"), w.Lookup))
}

func warmupOf(r *record.Result) string {
	w := r.Workload
	if w.WarmupRule == "auto" || w.TraceSHA256 != "" {
		return ""
	}
	return "warm-up " + w.WarmupRule
}

func updatesOf(r *record.Result) string {
	var parts []string
	if n := r.UpdatesBefore(); n > 0 {
		parts = append(parts, units.Plural(n, "update"))
	}
	if u := r.Updates; u != nil && u.Rate > 0 {
		parts = append(parts, fmt.Sprintf("%g updates per second", u.Rate))
	} else if u != nil {
		parts = append(parts, "unthrottled updates")
	}
	return strings.Join(parts, ", ")
}

func rateOf(r *record.Result) string {
	rate := r.TargetRate()
	if rate == 0 {
		return ""
	}
	return units.Comma(rate) + " Gets due per second"
}

// name is the setting in one text. It does not depend on other settings, so that it stays the same.
func (s setting) name() string {
	return strings.Join(slices.DeleteFunc(s[:], func(part string) bool { return part == "" }), ", ")
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
			parts = append(parts, cmp.Or(s[i], settingParts[i].usual))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s in the baseline and %s in the new records", say(base), say(side))
}
