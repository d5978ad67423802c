// Package readpath defines the components of a database that a Get reads, and counts of reads and
// accesses per component.
package readpath

import "fmt"

// Component is a kind of block in a table, or a value in a blob file.
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
	// Blob is a value in a blob file of RocksDB. A data block refers to it; no block cache holds it.
	Blob
	// TableOpen is everything read on opening a table (footer, metaindex, properties) or a blob file
	// (header, footer).
	TableOpen
	// Other is everything else: range deletions, range keys, value blocks.
	Other

	// NumComponents is the number of components.
	NumComponents = int(Other) + 1
)

var names = [NumComponents]string{"filter", "top_index", "index", "data", "blob", "table_open", "other"}

// Components returns all components in the order in which a Get reads them.
func Components() [NumComponents]Component {
	return [NumComponents]Component{Filter, TopIndex, Index, Data, Blob, TableOpen, Other}
}

// Cached reports whether the block cache may hold all that is read of the component. Of what opens a table,
// some libraries cache the properties.
func (c Component) Cached() bool { return c != Blob && c != TableOpen }

// String returns the component's name in records and tables, such as "top_index".
func (c Component) String() string {
	if int(c) < NumComponents {
		return names[c]
	}
	return fmt.Sprintf("component(%d)", uint8(c))
}
