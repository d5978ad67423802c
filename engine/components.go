package engine

import (
	"getio/record"
	"getio/tree/readpath"
)

// Components are a run's counts as records have them.
func (c Counts) Components() map[string]record.Component {
	split := record.SplitEstimated
	if c.Accesses.SplitExact {
		split = record.SplitExact
	}
	byName := map[string]record.Component{}
	for _, kind := range readpath.Components() {
		accesses, misses := c.Accesses.Count[kind], c.Reads.Count[kind]
		component := record.Component{Misses: misses, BytesRead: c.Reads.Bytes[kind]}
		if c.Accesses.FiltersOnly && kind != readpath.Filter {
			byName[kind.String()] = component
			continue
		}
		component.Accesses = &accesses
		if kind != readpath.TableOpen && kind != readpath.Other {
			component.HitRate = record.Rate(accesses-misses, accesses)
		}
		if kind == readpath.Index || kind == readpath.Data {
			component.Split = split
		}
		byName[kind.String()] = component
	}
	return byName
}
