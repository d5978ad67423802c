package lsm

import (
	"encoding/binary"
	"math"
	"slices"

	"getio/tree/blockformat"
)

// TableFormat holds the parameters of tables in row format and estimates the blocks of
// tables that have not been written. (Pebble: sstable/writer.go, flush and shouldFlush.)
type TableFormat struct {
	KeyBytes, ValueBytes int64 // of each record; keys are random
	BlockBytes           int64
	IndexBlockBytes      int64
	RestartInterval      int64 // of data blocks; index blocks restart at every entry
	BloomBits            int64 // per key; 0 for tables without filters
}

// Sizes of row format, in bytes.
const (
	trailerBytes = blockformat.KeyTrailerLen
	restartBytes = blockformat.RestartLen
	recordBytes  = 2 // lengths: shared and unshared part of the key
	handleRoom   = 20
	// compressed is about what Snappy leaves of a block, as far as it bears on the
	// length of an offset.
	compressed = 0.75
	// storedIndex is about what Snappy leaves of index blocks of random keys.
	storedIndex = 0.65
)

// Estimate sets a table's blocks and their sizes in the cache, and of what its file is
// known to take what is left for data. Data blocks that are known, as not zero,
// are left as they are.
// density is how many records there would be if all the key space were as full
// as the table's part of it.
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
	// An index block is closed when an entry with the longest of handles would
	// not fit; of entries that vary in length, half of one more does on average.
	perBlock := math.Floor((float64(l.IndexBlockBytes)-restartBytes-key-handleRoom-recordBytes-2*restartBytes)/entry) + 1
	t.IndexBytes, t.IndexBlocks = 0, 0
	blocks := ceil(float64(t.DataBlocks) / perBlock)
	all := int64(math.Round(float64(t.DataBlocks)*entry)) + restartBytes*blocks
	if t.TopIndexBytes = all; blocks > 1 {
		t.IndexBytes, t.IndexBlocks = all, blocks
		top := recordBytes + 1 + key + uvarint(blockBytes*float64(t.DataBlocks)) + uvarint(float64(l.IndexBlockBytes)) + restartBytes
		t.TopIndexBytes = int64(math.Round(float64(blocks)*top)) + restartBytes
	}
	t.FilterBytes = l.filterBytes(t.Records)
	if t.Bytes > 0 {
		t.DataBytes = max(t.Bytes-t.FilterBytes-int64(storedIndex*float64(t.IndexBytes+t.TopIndexBytes)), 0)
	}
}

// filterBytes is the size of a table's Bloom filter.
func (l *TableFormat) filterBytes(records int64) int64 {
	if l.BloomBits == 0 {
		return 0
	}
	return blockformat.FilterLen(max(records, 1), l.BloomBits)
}

// DataBlockBytes is the mean size of a table's data blocks in the cache. They are
// filled in; records are as large as the table says, or else as the layout does.
func (l *TableFormat) DataBlockBytes(t Table) int64 {
	own := *l
	if t.RawBytes > 0 {
		own.ValueBytes = max(t.RawBytes/t.Records-l.KeyBytes-trailerBytes, 0)
	}
	return int64(math.Round(own.size(float64(t.Records)/float64(t.DataBlocks), t.density())))
}

// WithSizesOf returns the format with values as large as those of the shape are in the mean,
// and filters of as many bits, if it has any. It returns false if the shape does
// not say how large its records are.
func (l TableFormat) WithSizesOf(s *Shape) (TableFormat, bool) {
	t := s.Total()
	if t.RawBytes <= 0 || t.Records <= 0 {
		return l, false
	}
	l.ValueBytes = max(t.RawBytes/t.Records-l.KeyBytes-trailerBytes, 0)
	var filtered, filters int64
	for _, level := range s.Levels {
		for _, table := range level.TableList {
			if table.FilterBytes > 0 {
				filtered += table.Records
				filters += table.FilterBytes
			}
		}
	}
	if filtered > 0 {
		l.BloomBits = int64(math.Round(8 * float64(filters) / float64(filtered)))
	}
	return l, true
}

// size is the mean size of a data block of so many records.
func (l *TableFormat) size(records, density float64) float64 {
	shared, _ := shared(density)
	restarts := math.Ceil(records / float64(l.RestartInterval))
	return records*l.record() - (records-restarts)*shared + restartBytes*(restarts+1)
}

// record is the size of a record whose key shares nothing.
func (l *TableFormat) record() float64 {
	return recordBytes + uvarint(float64(l.ValueBytes)) + float64(l.KeyBytes+trailerBytes+l.ValueBytes)
}

// recordsPerBlock is the mean number of records of a data block. A block is
// closed when the next record would not fit if its key shared nothing; how much
// keys share varies, so that of one density not all blocks have as many.
func (l *TableFormat) recordsPerBlock(density float64) float64 {
	_, variance := shared(density)
	more := float64(l.KeyBytes+trailerBytes+l.ValueBytes) + 4 + 1 + uvarint(float64(l.ValueBytes))
	mean := 1.0
	for n := 1.0; n < float64(l.BlockBytes); n++ {
		restarts := math.Ceil(n / float64(l.RestartInterval))
		next := more
		if math.Mod(n, float64(l.RestartInterval)) == 0 {
			next += restartBytes
		}
		room := float64(l.BlockBytes) - next - l.size(n, density)
		deviation := math.Sqrt((n-restarts)*variance + 1e-9)
		fits := 0.5 * math.Erfc(-(room+0.5)/deviation/math.Sqrt2)
		if fits < 1e-9 {
			break
		}
		mean += fits
	}
	return mean
}

// shared is how many first bytes neighbours of random keys share, at the given
// number of keys in the whole key space: mean and variance. Two neighbours at a
// distance g lie in the same of 256^j cells with probability 1 - g*256^j, and
// distances are distributed exponentially.
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

// PastLast is how often a key that a table does not have, of those in its blocks
// but the last, lies in none: behind the last record of one, but not behind the
// block's separator in the index, so that a lookup reads the next block too. Keys
// are taken to be random.
func (t Table) PastLast() float64 {
	if t.DataBlocks < 2 {
		return 0
	}
	return toSeparator(t.density()) * float64(t.DataBlocks) / float64(t.Records)
}

// toSeparator is how far a separator lies behind the key before it, as a share of
// the mean distance of neighbours, at the given number of random keys in the whole
// key space. A separator is the first multiple, behind that key, of the largest
// power of 1/256 of which a multiple lies between the two (Pebble: comparer.go,
// Separator). Multiples of one power lie in a gap of exponential length as far away
// as a uniform distance is below it; in some of these cases a multiple of the next
// larger power lies in the gap too, and counts instead.
func toSeparator(keys float64) (sum float64) {
	for j := 1.0; j <= 8; j++ {
		unit := keys / math.Pow(256, j) // in mean distances
		var near, coarser float64
		if unit < 1e-6 {
			// Distances are as good as zero; only the first power's count is needed.
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

// uvarint is the length of a number as a varint.
func uvarint(n float64) float64 {
	return max(1, math.Floor(math.Log2(max(n, 1))/7)+1)
}

// meanUvarint is the mean length of numbers from 0 to n.
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

// EstimateShape returns the shape with all its tables' blocks filled in.
func (l *TableFormat) EstimateShape(s *Shape) *Shape {
	return eachTable(s, func(_ int, t *Table) { l.Estimate(t, t.density()) })
}

func eachTable(s *Shape, change func(level int, t *Table)) *Shape {
	var tables [NumLevels][]Table
	for _, level := range s.Levels {
		list := slices.Clone(level.TableList)
		for i := range list {
			change(level.Level, &list[i])
		}
		tables[level.Level] = list
	}
	filled := newShape(tables, s.LastLevelFilters)
	filled.Schema, filled.Engine, filled.EvenTables = s.Schema, s.Engine, s.EvenTables
	return filled
}

// density is how many records there would be if all the key space were as full as
// the table's part of it.
func (t *Table) density() float64 {
	const space = 1 << 64
	return float64(t.Records) * space / max(float64(t.Largest.prefix()-t.Smallest.prefix()), 1)
}

// prefix is the key's first 64 bits.
func (k Key) prefix() uint64 {
	var b [8]byte
	copy(b[:], k)
	return binary.BigEndian.Uint64(b[:])
}
