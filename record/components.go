package record

import "getio/tree/readpath"

// Components returns the counts of a run by component name.
func Components(reads readpath.Reads, accesses readpath.Accesses) map[string]Component {
	split := SplitEstimated
	if accesses.SplitExact {
		split = SplitExact
	}
	byName := map[string]Component{}
	for _, kind := range readpath.Components() {
		asked, misses := accesses.Count[kind], reads.Count[kind]
		component := Component{Misses: misses, BytesRead: reads.Bytes[kind]}
		if accesses.FiltersOnly && kind != readpath.Filter {
			byName[kind.String()] = component
			continue
		}
		component.Accesses = &asked
		if kind != readpath.TableOpen && kind != readpath.Other {
			component.HitRate = Rate(asked-misses, asked)
		}
		if kind == readpath.Index || kind == readpath.Data {
			component.Split = split
		}
		byName[kind.String()] = component
	}
	return byName
}
