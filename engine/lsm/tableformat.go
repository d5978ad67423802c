package lsm

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"getio/engine/blockformat"
)

// TableFormat holds the parameters of tables in row format and estimates the number and
// size of their blocks. It follows flush and shouldFlush in Pebble's sstable/writer.go.
type TableFormat struct {
	KeyBytes, ValueBytes int64 // of each record; keys are random
	BlockBytes           int64
	IndexBlockBytes      int64 // 0 means one index block for the table
	RestartInterval      int64 // of data blocks; in index blocks every entry is a restart point
	BloomBits            int64 // per key; 0 means no filters
	// CloseFull: a data block is closed when it has reached BlockBytes, as in goleveldb
	// (leveldb/table/writer.go, Append). Otherwise, it is closed before a record would make it larger,
	// unless it is smaller than a threshold.
	CloseFull bool
	// TopIndexAlways: a partitioned index has a top index even if there is one index block, as in
	// RocksDB. Tables without partitions keep one index block.
	TopIndexAlways bool
	// RangeFilters: filters are of ranges of the file, as in goleveldb, instead of the whole table.
	RangeFilters bool
}

// Sizes of row format, in bytes.
const (
	trailerBytes = blockformat.KeyTrailerLen
	restartBytes = blockformat.RestartLen
	recordBytes  = 2 // lengths of the shared and the unshared part of the key
	handleRoom   = 20
	// blockThreshold is the share of BlockBytes below which a data block is not closed: the default
	// BlockSizeThreshold of Pebble, and what RocksDB's block_size_deviation leaves.
	blockThreshold = 0.9
	// compressed is the approximate Snappy ratio of data blocks. It is used only for the
	// length of block offsets.
	compressed = 0.75
	// storedIndex is the approximate Snappy ratio of index blocks of random keys.
	storedIndex = 0.65
)

// Estimate fills in the number of a table's blocks and their sizes in the cache. It keeps
// DataBlocks if that is not 0. If the file size is known, DataBytes becomes what filter
// and index leave of it. density is the number of records that the whole key space would
// hold if it were as dense as the table.
func (l *TableFormat) Estimate(t *Table, density float64) {
	if t.Records == 0 {
		return
	}
	if t.DataBlocks == 0 {
		t.DataBlocks = ceil(float64(t.Records) / l.recordsPerBlock(density))
	}
	shared, _ := shared(density)
	key := min(shared+1, float64(l.KeyBytes)) + trailerBytes
	blockBytes := compressed * float64(l.BlockBytes)
	entry := recordBytes + 1 + key + meanUvarint(blockBytes*float64(t.DataBlocks)) + uvarint(blockBytes) + restartBytes
	// The writer closes an index block when an entry with the longest possible handle
	// would not fit. Since entries vary in length, half of another one fits on average.
	perBlock := math.Floor((float64(l.IndexBlockBytes)-restartBytes-key-handleRoom-recordBytes-2*restartBytes)/entry) + 1
	t.IndexBytes, t.IndexBlocks = 0, 0
	blocks := ceil(float64(t.DataBlocks) / perBlock)
	if l.IndexBlockBytes == 0 {
		blocks = 1
	}
	all := int64(math.Round(float64(t.DataBlocks)*entry)) + restartBytes*blocks
	if t.TopIndexBytes = all; blocks > 1 {
		t.IndexBytes, t.IndexBlocks = all, blocks
		top := recordBytes + 1 + key + uvarint(blockBytes*float64(t.DataBlocks)) + uvarint(float64(l.IndexBlockBytes)) + restartBytes
		t.TopIndexBytes = int64(math.Round(float64(blocks)*top)) + restartBytes
	}
	t.FilterBytes = l.filterBytes(t)
	if t.Bytes > 0 {
		t.DataBytes = max(t.Bytes-t.FilterBytes-int64(storedIndex*float64(t.IndexBytes+t.TopIndexBytes)), 0)
	}
}

// filterBytes returns the size of a table's Bloom filters. Filters of ranges need DataBytes and
// DataBlocks.
func (l *TableFormat) filterBytes(t *Table) int64 {
	switch records := max(t.Records, 1); {
	case l.BloomBits == 0:
		return 0
	case l.RangeFilters:
		return blockformat.RangeFiltersOf(t.DataBytes, t.DataBlocks).Len(records, l.BloomBits)
	default:
		return blockformat.FilterLen(records, l.BloomBits)
	}
}

// DataBlockBytes returns the mean size of a table's data blocks, uncompressed: that of its kinds
// of blocks if it has any. Otherwise DataBlocks must be set, and the record size follows from the
// table's RawBytes, or from the format if RawBytes is 0.
func (l *TableFormat) DataBlockBytes(t Table) int64 {
	if len(t.BlockKinds) > 0 {
		mean := 0.0
		for _, k := range t.BlockKinds {
			mean += k.Blocks * k.BlockBytes
		}
		return max(int64(math.Round(mean)), 1)
	}
	own := *l
	if t.RawBytes > 0 {
		own.ValueBytes = max(t.RawBytes/t.Records-l.KeyBytes-trailerBytes, 0)
	}
	return int64(math.Round(own.size(float64(t.Records)/float64(t.DataBlocks), t.density())))
}

// WithSizesOf returns the format with the mean value size of the shape and, if the shape
// has filters, their bits per key. It returns false if the shape has no record sizes.
func (l TableFormat) WithSizesOf(s *Shape) (TableFormat, bool) {
	t := s.Total()
	if t.RawBytes <= 0 || t.Records <= 0 {
		return l, false
	}
	l.ValueBytes = max(t.RawBytes/t.Records-l.KeyBytes-trailerBytes, 0)
	var filtered int64 // records
	var bits float64   // of their filters
	for _, level := range s.Levels {
		for _, table := range level.TableList {
			if perKey := l.bitsPerKey(&table); perKey > 0 {
				filtered += table.Records
				bits += perKey * float64(table.Records)
			}
		}
	}
	if filtered > 0 {
		l.BloomBits = int64(math.Round(bits / float64(filtered)))
	}
	return l, true
}

// bitsPerKey returns what the size of a table's filters says of their bits per key; 0 if nothing.
func (l *TableFormat) bitsPerKey(t *Table) float64 {
	switch {
	case t.FilterBytes == 0 || t.Records == 0:
		return 0
	case l.RangeFilters:
		return float64(blockformat.RangeFiltersOf(t.DataBytes, t.DataBlocks).BitsPerKey(t.Records, t.FilterBytes))
	default:
		return 8 * float64(t.FilterBytes-t.TopFilterBytes) / float64(t.Records)
	}
}

// WithBlocksOf returns the format with the block size that gives as many records per data block as the
// shape has. It keeps its own if that does.
func (l TableFormat) WithBlocksOf(s *Shape) TableFormat {
	const near, smallest, largest = 0.03, 256, 16 << 20
	total := s.Total()
	if total.DataBlocks == 0 || total.Records == 0 {
		return l
	}
	want, density := float64(total.Records)/float64(total.DataBlocks), 0.0
	for _, level := range s.Levels {
		for _, t := range level.TableList {
			density = max(density, t.density())
		}
	}
	if math.Abs(l.recordsPerBlock(density)/want-1) <= near {
		return l
	}
	l.BlockBytes = smallest + int64(sort.Search(largest-smallest, func(more int) bool {
		l.BlockBytes = smallest + int64(more)
		return l.recordsPerBlock(density) >= want
	}))
	return l
}

// size returns the mean size of a data block with the given number of records.
func (l *TableFormat) size(records, density float64) float64 {
	shared, _ := shared(density)
	restarts := math.Ceil(records / float64(l.RestartInterval))
	return records*l.record() - (records-restarts)*shared + restartBytes*(restarts+1)
}

// record returns the size of a record whose key shares no bytes with the previous one.
func (l *TableFormat) record() float64 {
	return recordBytes + uvarint(float64(l.ValueBytes)) + float64(l.KeyBytes+trailerBytes+l.ValueBytes)
}

// recordsPerBlock returns the mean number of records per data block. The writer closes a
// block that has reached the threshold when the next record would not fit with an unshared key. The
// number of bytes that keys share varies, so blocks of equal density hold different numbers of records.
func (l *TableFormat) recordsPerBlock(density float64) float64 {
	_, variance := shared(density)
	more := float64(l.KeyBytes+trailerBytes+l.ValueBytes) + 4 + 1 + uvarint(float64(l.ValueBytes))
	threshold := blockThreshold * float64(l.BlockBytes)
	if l.CloseFull {
		threshold = float64(l.BlockBytes)
	}
	mean := 1.0
	for n := 1.0; n < float64(l.BlockBytes); n++ {
		restarts := math.Ceil(n / float64(l.RestartInterval))
		next := more
		if math.Mod(n, float64(l.RestartInterval)) == 0 {
			next += restartBytes
		}
		room := max(float64(l.BlockBytes)-next, threshold) - l.size(n, density)
		deviation := math.Sqrt((n-restarts)*variance + 1e-9)
		fits := 0.5 * math.Erfc(-(room+0.5)/deviation/math.Sqrt2)
		if fits < 1e-9 {
			break
		}
		mean += fits
	}
	return mean
}

// shared returns the mean and variance of the length in bytes of the common prefix of
// neighbouring random keys, given the number of keys in the whole key space. Two
// neighbours at distance g lie in the same one of 256^j cells with probability
// 1 - g*256^j, and distances are distributed exponentially.
func shared(keys float64) (mean, variance float64) {
	square := 0.0
	for j := 1.0; j <= 8; j++ {
		perCell := keys / math.Pow(256, j)
		same := 1 + math.Expm1(-perCell)/perCell
		mean += same
		square += (2*j - 1) * same
	}
	return mean, square - mean*mean
}

// PastLast returns the probability that an absent key lies after the last record of its
// block but not after the block's separator in the index, so that a lookup reads the next
// block too. It excludes the last block and assumes random keys.
func (t Table) PastLast() float64 {
	if t.DataBlocks < 2 {
		return 0
	}
	return toSeparator(t.density()) * float64(t.DataBlocks) / float64(t.Records)
}

// toSeparator returns the mean distance from a key to the separator after it, as a share of the
// mean distance between neighbours, given the number of random keys in the whole key space. A
// separator is the first multiple after the key of the largest power of 1/256 that has a multiple
// between the two neighbours (Separator in Pebble's comparer.go). The distance to the next multiple
// of a power is uniform; it counts if it is below the gap, whose length is exponential. If a
// multiple of the next larger power lies in the gap too, that one counts instead.
func toSeparator(keys float64) (sum float64) {
	for j := 1.0; j <= 8; j++ {
		unit := keys / math.Pow(256, j) // in mean distances
		var near, coarser float64
		if unit < 1e-6 {
			// The remaining terms are practically 0.
			break
		}
		near = (1 - math.Exp(-unit)*(1+unit)) / unit
		if j > 1 {
			coarser = -math.Expm1(-256*unit) / -math.Expm1(-unit) / 256
		}
		sum += near * (1 - coarser)
	}
	return sum
}

// uvarint returns the length of a number as a varint.
func uvarint(n float64) float64 {
	return max(1, math.Floor(math.Log2(max(n, 1))/7)+1)
}

// meanUvarint returns the mean length as varints of the numbers from 0 to n.
func meanUvarint(n float64) float64 {
	sum, from := 0.0, 0.0
	for length := 1.0; from < n; length++ {
		to := min(n, math.Pow(128, length))
		sum += length * (to - from)
		from = to
	}
	return max(sum/max(n, 1), 1)
}

func ceil(x float64) int64 { return int64(math.Ceil(x)) }

// EstimateShape returns the shape with the blocks of all tables estimated.
func (l *TableFormat) EstimateShape(s *Shape) *Shape {
	return s.EachTable(func(_ int, t *Table) { l.Estimate(t, t.density()) })
}

// EachTable returns a copy of the shape with its tables changed, and their sums.
func (s *Shape) EachTable(change func(level int, t *Table)) *Shape {
	var tables [NumLevels][]Table
	for _, level := range s.Levels {
		list := slices.Clone(level.TableList)
		for i := range list {
			change(level.Level, &list[i])
		}
		tables[level.Level] = list
	}
	filled := newShape(tables, s.LastLevelFilters)
	filled.Schema, filled.Engine, filled.EvenTables, filled.SampledBlocks = s.Schema, s.Engine, s.EvenTables, s.SampledBlocks
	filled.SampledKeys, filled.OlderRecords = s.SampledKeys, s.OlderRecords
	if s.FiltersFirst {
		filled.ReadFiltersFirst()
	}
	filled.AddBlobs(s.BlobFiles, s.BlobBytes)
	return filled
}

// density returns the number of records that the whole key space would hold if it were as
// dense as the table.
func (t *Table) density() float64 {
	const space = 1 << 64
	return float64(t.Records) * space / max(float64(t.Largest.Prefix()-t.Smallest.Prefix()), 1)
}

// Prefix returns the key's first 64 bits.
func (k Key) Prefix() uint64 {
	var b [8]byte
	copy(b[:], k)
	return binary.BigEndian.Uint64(b[:])
}
