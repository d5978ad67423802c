package rowtable

import (
	"math"

	"getio/tree/blockformat"
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

// Options say what of a table is made.
type Options struct {
	// Incompressible values, of at least minIncompressible bytes, are never
	// worth compressing: what else a record has is too little.
	Incompressible bool
	// LengthsOnly works out how long the data blocks are and does not make them.
	LengthsOnly bool
	// FilterSizeOnly leaves the filter's bytes out of the tail.
	FilterSizeOnly bool
}

// minIncompressible is the size from which on random values keep a block from
// being compressed: a record has 11 bytes that may repeat (lengths, trailer) and
// 32 to 24 random bytes of key, and both libraries want to save a good 12%.
const minIncompressible = 100

// Partition is a second-level index block, or the whole index of a table that
// has but one level: from which offset on it names data blocks, and where the
// block itself is, without its trailer.
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

// Begin begins a table of the given form.
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

// seal ends the data block under way and enters it into the index.
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

// offset is where the next data block begins.
func (w *Writer) offset() uint64 { return w.taken + uint64(len(w.dst)) }

// isPlain tells that no data block is compressed.
func (w *Writer) isPlain() bool {
	return w.form.Snappy == blockformat.SnappyNever || w.opts.Incompressible && w.figures.rawValues >= minIncompressible*w.figures.entries
}

// storedLen is the length of a data block as it is stored, without trailer.
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

// appendBlock appends a data block as it is stored.
func (w *Writer) appendBlock(dst, plain []byte) []byte {
	if w.isPlain() {
		return sealPlain(dst, plain)
	}
	return w.form.seal(dst, plain, func(dst []byte) []byte { return appendSnappy(dst, plain) })
}

// Take returns the data blocks made since the last call, as they are stored. They
// are valid until the next call of Add.
func (w *Writer) Take() []byte {
	taken := w.dst
	w.taken += uint64(len(taken))
	w.dst = w.dst[:0]
	return taken
}

// Pending is how many bytes Take would return.
func (w *Writer) Pending() int { return len(w.dst) }

// Tail is what lies behind a table's data blocks.
type Tail struct {
	DataSize   uint64 // where it begins
	FilterSize uint64 // of the filter's bytes, trailer included; left out of Bytes if that was asked for
	Bytes      []byte // ends with the table
	Size       uint64 // of the table
	DataBlocks uint64
	Partitions []Partition
}

// Finish ends the table, which has at least one record. The data blocks that
// Take has not returned are to be taken after it.
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
		metaindex[w.form.Frame.filterName] = blockformat.Handle{Off: at, Length: n}.Append(nil)
		t.FilterSize = n + blockformat.TrailerLen
		if !w.opts.FilterSizeOnly {
			t.Bytes = sealPlain(t.Bytes, w.filter.build())
		}
		at += t.FilterSize
	}
	// From here on Bytes lies at a fixed distance from its place in the file.
	shift := at - uint64(len(t.Bytes))
	top := w.appendIndex(t, shift)
	metaindex[metaProperties] = appendNamed(t, shift, w.form.Frame.with(w.figures), math.MaxInt).Append(nil)
	meta := appendNamed(t, shift, metaindex, 1)
	t.Bytes = w.form.Frame.appendFooter(t.Bytes, meta, top)
	t.Size = shift + uint64(len(t.Bytes))
	return t
}

// appendIndex appends the index of either kind and returns where its top is.
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

// DataBlock makes a single data block of a table of the given form, out of the
// records that next gives out, and appends it to dst as it is stored, trailer
// included. It ends the table under way.
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
