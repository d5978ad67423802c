package judge

import (
	"maps"
	"slices"

	"getio/record"
)

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
