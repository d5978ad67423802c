package record

import (
	"encoding/json"

	"getio/tree/readpath"
)

// possibleHitRate returns the hit rate, and 0 instead of one below it: estimated accesses
// may be a little fewer than the misses.
func (c Component) possibleHitRate() *float64 {
	if c.Split == SplitEstimated && c.HitRate != nil && *c.HitRate < 0 {
		return new(float64)
	}
	return c.HitRate
}

// UnmarshalJSON reads an estimated hit rate below 0, as earlier records have it, as 0.
func (c *Component) UnmarshalJSON(data []byte) error {
	type fields Component
	if err := json.Unmarshal(data, (*fields)(c)); err != nil {
		return err
	}
	c.HitRate = c.possibleHitRate()
	return nil
}

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
			component.HitRate = HitRate(asked-misses, asked)
		}
		if kind == readpath.Index || kind == readpath.Data {
			component.Split = split
			component.HitRate = component.possibleHitRate()
		}
		byName[kind.String()] = component
	}
	return byName
}
