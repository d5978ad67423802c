package rowtable

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/rowblk"

	"getio/engine/blockformat"
)

// index is the index of a table under construction. Second-level blocks are sealed when
// they are full, but their offsets are known only at the end of the table.
type index struct {
	form    *Form
	current rowblk.Writer // in which every entry is a restart point
	handle  []byte        // scratch
	parts   []part
	sealed  []byte // second-level blocks as they are stored, one after another
	entries int
	size    int // of the second-level blocks before compression
}

// part is one sealed second-level block.
type part struct {
	last pebble.InternalKey
	end  int // in sealed
}

// handleRoom is the size that the libraries assume for a block handle when they decide
// whether an index block is full (Pebble: sstable/writer.go, encodedBHPEstimatedSize).
const handleRoom = 2 * binary.MaxVarintLen64

// add adds the entry of a data block. began reports whether it is the first entry of its
// second-level block.
func (x *index) add(key pebble.InternalKey, h blockformat.Handle) (began bool) {
	f := x.form
	began = x.current.EntryCount() == 0
	more := key.Size() + handleRoom + 4 + 4 + 1 + 1
	if !began && f.full(x.current.EstimatedSize(), more, f.IndexFlushAbove, f.IndexBlockSize) {
		x.seal()
		began = true
	}
	x.addEntry(key, h)
	x.entries++
	return began
}

func (x *index) addEntry(key pebble.InternalKey, h blockformat.Handle) {
	x.handle = h.Append(x.handle[:0])
	must(x.current.Add(key, x.handle))
}

func (x *index) seal() {
	last := x.current.CurKey().Clone()
	plain := x.current.Finish()
	x.size += len(plain)
	x.sealed = x.form.seal(x.sealed, plain)
	x.parts = append(x.parts, part{last, len(x.sealed)})
}
