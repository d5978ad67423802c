// Package readpath defines the table components that a Get reads, and counts of reads and
// accesses per component.
package readpath

import "fmt"

// Component is the part of a table to which a block belongs.
type Component uint8

const (
	// Filter is a table's Bloom filter, always a single block.
	Filter Component = iota
	// TopIndex is the index block that a table's footer points to. Every visit to a table
	// reads it first. It is the only index block of a single-level index.
	TopIndex
	// Index is a second-level index block (an index partition).
	Index
	// Data is a data block.
	Data
	// TableOpen is everything read on opening a table: footer, metaindex, properties.
	TableOpen
	// Other is everything else: range deletions, range keys, value blocks.
	Other

	// NumComponents is the number of components.
	NumComponents = int(Other) + 1
)

var names = [NumComponents]string{"filter", "top_index", "index", "data", "table_open", "other"}

// Components returns all components in the order in which a Get reads them.
func Components() [NumComponents]Component {
	return [NumComponents]Component{Filter, TopIndex, Index, Data, TableOpen, Other}
}

// String returns the component's name in records and tables, such as "top_index".
func (c Component) String() string {
	if int(c) < NumComponents {
		return names[c]
	}
	return fmt.Sprintf("component(%d)", uint8(c))
}
