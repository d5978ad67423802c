package record

import (
	"encoding/json"

	"getio/engine/readpath"
)

// Names of components in records.
var (
	Filter    = readpath.Filter.String()
	TopIndex  = readpath.TopIndex.String()
	Index     = readpath.Index.String()
	Data      = readpath.Data.String()
	Blob      = readpath.Blob.String()
	TableOpen = readpath.TableOpen.String()
	Other     = readpath.Other.String()

	// FilterUnread is the part of a database that no Get reads.
	FilterUnread = "filter_never_consulted"

	// ComponentNames are all of them in the order in which a Get reads them.
	ComponentNames = []string{Filter, TopIndex, Index, Data, Blob, TableOpen, Other}
)

// Component is the accesses and reads of one component by the measured Gets.
type Component struct {
	// Accesses are absent where those of Gets and of compactions cannot be separated: with updates, of all but
	// filters.
	Accesses *int64 `json:"accesses,omitempty"`
	// Misses are accesses that were read from the file.
	Misses int64 `json:"misses"`
	// HitRate is of the block cache; absent for "blob", "table_open" and "other", and without accesses. An estimate is
	// at least 0.
	HitRate   *float64 `json:"hit_rate,omitempty"`
	BytesRead int64    `json:"bytes_read"` // including block trailers
	// Windows are the misses in each window.
	Windows []int64 `json:"windows,omitempty"`
	// Split is "exact" or "estimated": the accesses of index and data, which the engine counts as one sum.
	Split string `json:"split,omitempty"`
}

// How the sum of index and data accesses was split.
const (
	SplitEstimated = "estimated"
	SplitExact     = "exact"
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

// Components returns the counts of a run by component name. Blob is absent if no value was read from
// a blob file.
func Components(reads readpath.Reads, accesses readpath.Accesses) map[string]Component {
	split := SplitEstimated
	if accesses.SplitExact {
		split = SplitExact
	}
	byName := map[string]Component{}
	for _, kind := range reads.Count.Components() {
		asked, misses := accesses.Count[kind], reads.Count[kind]
		component := Component{Misses: misses, BytesRead: reads.Bytes[kind]}
		if accesses.FiltersOnly && kind != readpath.Filter {
			byName[kind.String()] = component
			continue
		}
		component.Accesses = &asked
		if kind.Cached() && kind != readpath.Other {
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

// SetWindows gives each component that was read its misses in each window, and returns the bytes that all
// of them read in each.
func SetWindows(components map[string]Component, windows []readpath.Reads) (bytes []int64) {
	for _, w := range windows {
		bytes = append(bytes, w.Bytes.Sum())
	}
	for _, kind := range readpath.Components() {
		c, there := components[kind.String()]
		if !there || c.Misses == 0 {
			continue
		}
		for _, w := range windows {
			c.Windows = append(c.Windows, w.Count[kind])
		}
		components[kind.String()] = c
	}
	return bytes
}

// HitRate returns the share of hits; nil without accesses.
func HitRate(hits, of int64) *float64 {
	if of == 0 {
		return nil
	}
	return new(float64(hits) / float64(of))
}
