package study

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// trait is a property that may tell one curve from another, and its text in a name.
type trait struct{ property, text string }

// nameAll names all of a kind by their traits.
func nameAll[T any](all []T, traits func(T) []trait, name func(T) *string) {
	var those [][]trait
	for _, one := range all {
		those = append(those, traits(one))
	}
	for i, text := range namesOf(those) {
		*name(all[i]) = text
	}
}

// namesOf returns the first traits, each followed by as many more as tell it from the others.
func namesOf(all [][]trait) []string {
	names := make([]string, len(all))
	of := make([]map[string]string, len(all))
	var order []string // of all traits
	for i, traits := range all {
		of[i] = map[string]string{}
		for _, t := range traits {
			of[i][t.property] = t.text
			if !slices.Contains(order, t.property) {
				order = append(order, t.property)
			}
		}
		names[i] = traits[0].text
	}
	for _, trait := range order {
		texts := map[string][]string{} // that those of one name have
		for i, name := range names {
			texts[name] = append(texts[name], of[i][trait])
		}
		for i, name := range names {
			if alike := slices.Compact(slices.Sorted(slices.Values(texts[name]))); len(alike) > 1 && of[i][trait] != "" {
				names[i] += ", " + of[i][trait]
			}
		}
	}
	taken := namer{}
	for i, name := range names {
		names[i] = taken.numbered(name)
	}
	return names
}

// traits returns the traits, the most telling first.
func (c *Curve) traits() []trait {
	if all := c.Measurements(); len(all) > 0 {
		return measuredTraits(all[0])
	}
	return predictedTraits(c.Predictions[0])
}

func measuredTraits(r *record.Result) []trait {
	d, e := r.Dataset, r.Engine
	traits := []trait{
		{"database", databaseName(d.Path)},
		{"engine", e.Name},
		{"version", e.Version},
		{"preset", e.Preset},
		{"keys", units.Count(int64(d.Keys)) + " keys"},
	}
	for _, s := range r.Settings() {
		traits = append(traits, trait{s.Flags[0].Name, s.Text})
	}
	traits = append(traits, []trait{
		{"lookup", r.Workload.Lookup},
		{"updates", units.If(r.UpdatesBefore() > 0, units.Plural(r.UpdatesBefore(), "update"))},
		{"update rate", r.Updates.Wanted()},
		{"page cache", units.If(r.Device.PageCache != "", "page cache "+r.Device.PageCache)},
		{"model", model(r.Device.Modelled)},
		{"kind", d.Kind},
		{"path", d.Path},
		{"values", d.Values},
		{"live", units.If(d.Live, "live")},
		{"bytes", units.Size(d.Bytes)},
		{"shards", units.Plural(int64(r.Cache.Shards), "shard")},
	}...)
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		traits = append(traits, trait{"option " + name, name + "=" + e.Options[name]})
	}
	return traits
}

func predictedTraits(p *record.Prediction) []trait {
	w := p.Workload
	return []trait{
		{"database", databaseName(p.Source)}, {"kind", "predicted"}, {"engine", p.Library},
		{"zipf", w.Popularity.String()}, {"absent", AbsentKeys(w.HitFraction)},
	}
}

// databaseName returns the last part of a path, or the dataset's directory if the last part is its db.
func databaseName(path string) string {
	if dir, name := filepath.Split(filepath.Clean(path)); name == "db" && dir != "" {
		path = dir
	}
	switch name := filepath.Base(filepath.Clean(path)); {
	case path == "":
		return "database"
	case name == "." || name == "/":
		return path
	default:
		return name
	}
}

// AbsentKeys returns the share of Gets of absent keys, in words; "" if there are none.
func AbsentKeys(hitFraction float64) string {
	return units.If(hitFraction != 1, units.Percent(1-hitFraction)+" absent keys")
}

func model(m *record.ModelledDevice) string {
	switch {
	case m == nil:
		return ""
	case m.IOPS == 0:
		return fmt.Sprintf("reads of %g us", m.ReadLatencyUS)
	case m.ReadLatencyUS == 0:
		return units.Comma(m.IOPS) + " IOPS"
	}
	return fmt.Sprintf("%s IOPS, reads of %g us", units.Comma(m.IOPS), m.ReadLatencyUS)
}

// namer gives each database a name of its own.
type namer map[string]bool

// next returns the name of a client's directory, with as many of the traits as tell it from others, and else a number.
func (n namer) next(path string, traits ...string) string {
	if dir, base := filepath.Split(filepath.Clean(path)); base == "chaindata" && dir != "" {
		path = dir // as go-ethereum calls all of them
	}
	name := databaseName(path)
	for _, trait := range traits {
		if n[name] && trait != "" {
			name += ", " + trait
		}
	}
	return n.numbered(name)
}

// numbered returns the name, with a number if something else has it.
func (n namer) numbered(plain string) string {
	name := plain
	for i := 2; n[name]; i++ {
		name = fmt.Sprintf("%s (%d)", plain, i)
	}
	n[name] = true
	return name
}
