package rowtable

import (
	"math"

	"getio/engine/blockformat"
)

// Writer writes one table after another. It is not safe for concurrent use.
type Writer struct {
	form *Form
	opts Options

	block      block
	index      index
	filter     filter
	key        []byte // scratch of index keys
	dst        []byte // sealed data blocks not yet taken
	taken      uint64 // bytes of data blocks taken
	figures    figures
	partitions []Partition
}

// Options selects the parts of a table that a Writer makes.
type Options struct {
	// Incompressible means that values of at least minIncompressible bytes do not
	// compress. The Writer then does not try to compress their blocks.
	Incompressible bool
	// LengthsOnly computes the lengths of the data blocks without making them.
	LengthsOnly bool
	// FilterSizeOnly leaves the filter's bytes out of the tail.
	FilterSizeOnly bool
}

// minIncompressible is the size of random values from which no block is compressed. The
// other bytes of a record are 11 that may repeat (lengths, trailer) and 24 to 32 random
// ones of the key, and both libraries require savings of about 12%.
const minIncompressible = 100

// Partition is a second-level index block, or the complete index of a table with a
// single-level one. It holds the offset of the first data block that the partition indexes,
// and the block's own place without its trailer.
type Partition struct {
	Data     uint64
	Index    uint64
	IndexLen uint64
}

// NewWriter returns a writer of tables.
func NewWriter(opts Options) *Writer {
	w := &Writer{opts: opts}
	w.filter.sizeOnly = opts.FilterSizeOnly
	return w
}

// Begin starts a table of the given form.
func (w *Writer) Begin(form *Form) {
	w.form, w.index.form = form, form
	w.block.reset(form.RestartInterval)
	x := &w.index
	x.current.reset()
	x.parts, x.sealed, x.entries, x.size = x.parts[:0], x.sealed[:0], 0, 0
	w.filter.bits, w.filter.n, w.filter.hashes = form.BloomBits, 0, w.filter.hashes[:0]
	w.dst, w.taken = w.dst[:0], 0
	w.figures = figures{}
	w.partitions = nil
}

// Add adds a record, whose key is above that of the last one.
func (w *Writer) Add(key *[KeySize]byte, seq uint64, value []byte) {
	b := &w.block
	if b.n > 0 {
		more := KeySize + blockformat.KeyTrailerLen + len(value) + 4 + 1 + uvarintLen(uint64(len(value)))
		if b.untilNew == 0 {
			more += 4
		}
		if w.form.full(b.size(), more, w.form.FlushAbove, w.form.BlockSize) {
			w.key = w.key[:0]
			w.seal(separator(w.key, &b.last, key, b.trailer))
		}
	}
	w.filter.add(key)
	b.add(key, Trailer(seq), value)
	w.figures.entries++
	w.figures.rawKeys += KeySize + blockformat.KeyTrailerLen
	w.figures.rawValues += uint64(len(value))
}

// seal finishes the current data block and adds it to the index.
func (w *Writer) seal(key indexKey) {
	h := blockformat.Handle{Off: w.offset()}
	plain := w.block.finish()
	if w.opts.LengthsOnly {
		h.Length = uint64(w.storedLen(plain))
		w.taken += h.Length + blockformat.TrailerLen
	} else {
		w.dst = w.appendBlock(w.dst, plain)
		h.Length = w.offset() - h.Off - blockformat.TrailerLen
	}
	if w.index.add(key, h) {
		w.partitions = append(w.partitions, Partition{Data: h.Off})
	}
	w.key = key.user
	w.block.reset(w.form.RestartInterval)
}

// offset returns the offset of the next data block.
func (w *Writer) offset() uint64 { return w.taken + uint64(len(w.dst)) }

// isPlain reports whether no data block is compressed.
func (w *Writer) isPlain() bool {
	return w.form.Snappy == blockformat.SnappyNever || w.opts.Incompressible && w.figures.rawValues >= minIncompressible*w.figures.entries
}

// storedLen returns the stored length of a data block, without its trailer.
func (w *Writer) storedLen(plain []byte) int {
	if w.isPlain() {
		return len(plain)
	}
	w.dst = appendSnappy(w.dst[:0], plain)
	n := len(w.dst)
	w.dst = w.dst[:0]
	if w.form.Snappy.Pays(len(plain), n) {
		return n
	}
	return len(plain)
}

// appendBlock appends the stored form of a data block.
func (w *Writer) appendBlock(dst, plain []byte) []byte {
	if w.isPlain() {
		return sealPlain(dst, plain)
	}
	return w.form.seal(dst, plain, func(dst []byte) []byte { return appendSnappy(dst, plain) })
}

// Take returns the stored data blocks made since the last call. They are valid until the
// next call of Add.
func (w *Writer) Take() []byte {
	taken := w.dst
	w.taken += uint64(len(taken))
	w.dst = w.dst[:0]
	return taken
}

// Pending returns the number of bytes that Take would return.
func (w *Writer) Pending() int { return len(w.dst) }

// Tail is the part of a table after its data blocks.
type Tail struct {
	DataSize   uint64 // where it begins
	FilterSize uint64 // including trailer; Bytes lacks these bytes with Options.FilterSizeOnly
	Bytes      []byte // ends with the table
	Size       uint64 // of the table
	DataBlocks uint64
	Partitions []Partition
}

// Finish ends the table, which must have at least one record. Call Take afterwards for the
// remaining data blocks.
func (w *Writer) Finish() *Tail {
	w.seal(successor(w.key[:0], &w.block.last, w.block.trailer))
	w.figures.dataBlocks = uint64(w.index.entries)
	w.figures.dataSize = w.offset()
	t := &Tail{DataSize: w.offset(), DataBlocks: w.figures.dataBlocks, Partitions: w.partitions}
	at := t.DataSize
	metaindex := map[string][]byte{}
	if w.filter.bits > 0 {
		n := uint64(w.filter.size())
		w.figures.filterSize = n
		metaindex[w.form.Template.filterName] = blockformat.Handle{Off: at, Length: n}.Append(nil)
		t.FilterSize = n + blockformat.TrailerLen
		if !w.opts.FilterSizeOnly {
			t.Bytes = sealPlain(t.Bytes, w.filter.build())
		}
		at += t.FilterSize
	}
	// From here on, the offset in Bytes plus shift is the offset in the file.
	shift := at - uint64(len(t.Bytes))
	top := w.appendIndex(t, shift)
	metaindex[metaProperties] = appendNamed(t, shift, w.form.Template.with(w.figures), math.MaxInt).Append(nil)
	meta := appendNamed(t, shift, metaindex, 1)
	t.Bytes = w.form.Template.appendFooter(t.Bytes, meta, top)
	t.Size = shift + uint64(len(t.Bytes))
	return t
}

// appendIndex appends the index, of one or two levels, and returns the top index's handle.
func (w *Writer) appendIndex(t *Tail, shift uint64) blockformat.Handle {
	x := &w.index
	if len(x.parts) == 0 {
		plain := x.current.finish()
		w.figures.indexSize = uint64(len(plain)) + blockformat.TrailerLen
		h := w.appendPacked(t, shift, plain)
		t.Partitions[0].Index, t.Partitions[0].IndexLen = h.Off, h.Length
		return h
	}
	x.seal()
	from, begin := shift+uint64(len(t.Bytes)), 0
	t.Bytes = append(t.Bytes, x.sealed...)
	top := &x.current
	for i, p := range x.parts {
		h := blockformat.Handle{Off: from + uint64(begin), Length: uint64(p.end - begin - blockformat.TrailerLen)}
		top.addEncoded(p.last, h)
		t.Partitions[i].Index, t.Partitions[i].IndexLen = h.Off, h.Length
		begin = p.end
	}
	plain := top.finish()
	w.figures.partitions = uint64(len(x.parts))
	w.figures.topIndexSize = uint64(len(plain))
	w.figures.indexSize = uint64(x.size) + uint64(len(plain)) + blockformat.TrailerLen
	return w.appendPacked(t, shift, plain)
}

// appendPacked appends a block that may be compressed.
func (w *Writer) appendPacked(t *Tail, shift uint64, plain []byte) blockformat.Handle {
	from := len(t.Bytes)
	t.Bytes = w.form.seal(t.Bytes, plain, func(dst []byte) []byte { return appendSnappy(dst, plain) })
	return blockformat.Handle{Off: shift + uint64(from), Length: uint64(len(t.Bytes) - from - blockformat.TrailerLen)}
}

// appendNamed appends a block of named entries.
func appendNamed(t *Tail, shift uint64, entries map[string][]byte, interval int) blockformat.Handle {
	from := len(t.Bytes)
	t.Bytes = blockformat.AppendTrailer(appendRaw(t.Bytes, entries, interval), from, blockformat.Plain)
	return blockformat.Handle{Off: shift + uint64(from), Length: uint64(len(t.Bytes) - from - blockformat.TrailerLen)}
}

// DataBlock makes a single data block of the given form from the records that next returns. It
// appends the stored block, including its trailer, to dst. It discards the current table.
func (w *Writer) DataBlock(dst []byte, form *Form, records int, next func(key *[KeySize]byte) (seq uint64, value []byte)) []byte {
	w.Begin(form)
	b := &w.block
	var key [KeySize]byte
	for range records {
		seq, value := next(&key)
		b.add(&key, Trailer(seq), value)
		w.figures.entries++
		w.figures.rawValues += uint64(len(value))
	}
	return w.appendBlock(dst, b.finish())
}

func uvarintLen(n uint64) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}
