package sstfile

import (
	"testing"

	"getio/tree/blockformat"
)

// handle is where a block lies, its trailer not included.
type handle struct{ off, length int64 }

// end is where the block's trailer ends.
func (h handle) end() int64 { return h.off + h.length + blockformat.TrailerLen }

// tableLayout is what the library itself says of a table's blocks.
type tableLayout struct {
	data, index           []handle
	top, filter           handle // of length 0 if there is none
	properties, metaIndex handle
	footer                handle
	other                 []handle
}

func (l *tableLayout) addOther(h handle) {
	if h.length > 0 {
		l.other = append(l.other, h)
	}
}

// layout asks the library that wrote the table; but v1 does not read Zstandard
// blocks with the newer library of it that v2 needs.
func (s tableSpec) layout(t testing.TB, path string) tableLayout {
	t.Helper()
	var l tableLayout
	if s.version == 1 && s.compression != "zstd" {
		l = layoutV1(t, path)
	} else {
		l = layoutV2(t, path)
	}
	if l.top.length == 0 {
		// A single-level index is the top index, in getio's words.
		if len(l.index) != 1 {
			t.Fatalf("%d index blocks without a top index", len(l.index))
		}
		l.top, l.index = l.index[0], nil
	}
	return l
}
