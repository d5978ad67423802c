// Package readpath names what a point lookup reads: the component of a table
// that each block belongs to, and the counts kept per component.
package readpath

import "fmt"

// Component is what a block read is for.
type Component uint8

const (
	// Filter is a table's Bloom filter, one block whatever its size.
	Filter Component = iota
	// TopIndex is the index block that a table's footer points to. Every visit
	// of a table reads it first. A table with a single-level index has no
	// other index block.
	TopIndex
	// Index is a second-level index block (an index partition).
	Index
	// Data is a data block.
	Data
	// TableOpen is what opening a table reads: footer, metaindex, properties.
	TableOpen
	// Other is everything else: range deletions, range keys, value blocks.
	Other

	// NumComponents is the number of components.
	NumComponents = int(Other) + 1
)

var names = [NumComponents]string{"filter", "top_index", "index", "data", "table_open", "other"}

// Components lists all components in the order in which a Get meets them.
func Components() [NumComponents]Component {
	return [NumComponents]Component{Filter, TopIndex, Index, Data, TableOpen, Other}
}

// String is the component's name in records and tables, such as "top_index".
func (c Component) String() string {
	if int(c) < NumComponents {
		return names[c]
	}
	return fmt.Sprintf("component(%d)", uint8(c))
}
