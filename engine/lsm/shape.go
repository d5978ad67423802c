// Package lsm describes the shape of a log-structured merge tree as reads see it: levels, tables,
// and the bytes and blocks of each component.
//
// From a shape follow its inflection points IP1 and IP2. A cache of IP1 bytes holds all filters
// that Gets consult and all top indexes; a cache of IP2 bytes also holds all second-level index
// blocks. Cache sizes are given in bytes, as a share of the database, or as IP1 or IP2.
package lsm

import (
	"fmt"
	"slices"

	"getio/engine/readpath"
)

// NumLevels is the number of levels of a Pebble or LevelDB tree, L0 to L6.
const NumLevels = 7

// Shape is the shape of one settled tree.
//
// Index and filter sizes are uncompressed bytes, the space that a block takes in the
// block cache. Data sizes are bytes on disk, including block trailers.
type Shape struct {
	Schema string  `json:"schema,omitempty"`
	Levels []Level `json:"levels"` // non-empty levels, L0 first

	IP1Bytes int64 `json:"ip1_bytes"` // filters that Gets consult (Pebble: above L6), top indexes and, in Pebble, range deletions
	IP2Bytes int64 `json:"ip2_bytes"` // the same, and all second-level index blocks
	// WorstCaseReads are those of a Get with nothing cached.
	WorstCaseReads int64 `json:"worst_case_reads"`
	// BaseLevel is the first level below L0 that holds tables, to which L0 is compacted; absent if all are in L0.
	BaseLevel int `json:"base_level,omitempty"`
	// Engine that opened the database, which "predict" takes by default; only in a file of its own.
	Engine string `json:"engine,omitempty"`
	// EvenTables means that records are evenly spaced within each table, since the tree was built (--shaped,
	// --virtual).
	EvenTables bool `json:"even_tables,omitempty"`
	// LastLevelFilters means that Gets also consult the filters of L6, as in LevelDB.
	LastLevelFilters bool `json:"last_level_filters,omitempty"`
	// SampledBlocks is the number of data blocks that block kinds and, in LevelDB, records and raw bytes were
	// estimated from; only in a file of its own. Datasets loaded into Pebble or RocksDB need none.
	SampledBlocks int64 `json:"sampled_blocks,omitempty"`
	// SampledKeys is the number of sampled records whose keys were looked up in all tables, for [Table.LiveRecords]
	// and [Shape.OlderRecords].
	SampledKeys int64 `json:"sampled_keys,omitempty"`
	// LogRecords are only in the write-ahead log: Gets of their keys read nothing.
	LogRecords int64 `json:"log_records,omitempty"`
	// OlderRecords says which Gets also read older records of their keys: for merge operands and, in LevelDB, in all
	// of L0. Only in a file of its own; absent if the newest record is always enough.
	OlderRecords []OlderRecords `json:"older_records,omitempty"`
	// FiltersFirst means that Gets consult a table's filter before its top index, as in RocksDB.
	FiltersFirst bool `json:"filters_first,omitempty"`
	// BlobFiles is how many files of RocksDB hold values apart from the tables. "predict" refuses such a shape.
	BlobFiles int64 `json:"blob_files,omitempty"`
	BlobBytes int64 `json:"blob_bytes,omitempty"` // which those of the levels do not include
}

// SchemaV1 is the Schema of a Shape that has a file of its own.
const SchemaV1 = "getio.shape/1"

// Level is one level's totals.
type Level struct {
	Level         int   `json:"level"`
	Sublevels     int   `json:"sublevels,omitempty"` // of L0
	Tables        int64 `json:"tables"`              // their number
	Bytes         int64 `json:"bytes"`               // of the table files
	Records       int64 `json:"records,omitempty"`   // absent where tables do not state it and none were sampled
	RawBytes      int64 `json:"raw_bytes,omitempty"` // keys, with 8 bytes of sequence number and kind, and values; absent if unknown
	DataBytes     int64 `json:"data_bytes"`          // on disk, including block trailers
	DataBlocks    int64 `json:"data_blocks"`         // their number
	IndexBytes    int64 `json:"index_bytes"`         // second level, uncompressed, without the top index
	IndexBlocks   int64 `json:"index_blocks"`        // second level
	TopIndexBytes int64 `json:"top_index_bytes"`     // uncompressed; of a single-level index, its only block
	FilterBytes   int64 `json:"filter_bytes"`        // Bloom filters
	// RangeDeletionBytes are blocks of range deletions that Gets read at every visit of a table, as in Pebble.
	RangeDeletionBytes int64 `json:"range_deletion_bytes,omitempty"`

	TableList []Table `json:"table_list,omitempty"` // only in a file of its own; fields without a comment are as in the level
}

// Table is one table, with the bounds of its user keys.
type Table struct {
	File     uint64 `json:"file"`               // number
	Sublevel int    `json:"sublevel,omitempty"` // of L0
	Smallest Key    `json:"smallest"`           // user key, hexadecimal
	Largest  Key    `json:"largest"`            // the same
	// Bytes and the following are as in the level.
	Bytes         int64 `json:"bytes"`
	Records       int64 `json:"records,omitempty"`
	RawBytes      int64 `json:"raw_bytes,omitempty"`
	DataBytes     int64 `json:"data_bytes"`
	DataBlocks    int64 `json:"data_blocks"`
	IndexBytes    int64 `json:"index_bytes,omitempty"`
	IndexBlocks   int64 `json:"index_blocks,omitempty"`
	TopIndexBytes int64 `json:"top_index_bytes"`
	FilterBytes   int64 `json:"filter_bytes,omitempty"`
	// LiveRecords are those in which Gets find their keys: the newest of their keys, and not deleted; absent if
	// unknown, as in older files, of which "predict" warns.
	LiveRecords *int64 `json:"live_records,omitempty"`
	// DistinctKeys is the number of keys of the records; absent if unknown, or as many.
	DistinctKeys *int64 `json:"distinct_keys,omitempty"`
	// RangeDeletionBytes are as in the level.
	RangeDeletionBytes int64 `json:"range_deletion_bytes,omitempty"`
	// PinnedBytes are of blocks that the open table holds in the cache: in RocksDB, that of range deletions.
	PinnedBytes int64 `json:"pinned_bytes,omitempty"`
	// FilterBlocks is the number of partitions of a partitioned filter.
	FilterBlocks int64 `json:"filter_blocks,omitempty"`
	// TopFilterBytes is the size of the block that lists them, which [Table.FilterBytes] includes.
	TopFilterBytes int64 `json:"top_filter_bytes,omitempty"`
	// TopIndexOffset is the offset in the file, which determines the block's cache shard.
	TopIndexOffset      int64 `json:"top_index_offset,omitempty"`
	FilterOffset        int64 `json:"filter_offset,omitempty"`         // likewise
	RangeDeletionOffset int64 `json:"range_deletion_offset,omitempty"` // likewise
	// BlockKinds are the kinds of its data blocks in the sample, by records and by what a cache charges.
	BlockKinds []Segment `json:"block_kinds,omitempty"`
}

// Keys returns the number of different keys in the table, as far as it is known.
func (t *Table) Keys() int64 {
	if t.DistinctKeys != nil {
		return *t.DistinctKeys
	}
	return t.Records
}

// Segment is a part of a table whose data blocks hold about equally many records. If
// records differ in size, some blocks hold many and are accessed often; others hold one.
type Segment struct {
	Records    float64 `json:"records"`     // share of the table's records
	Blocks     float64 `json:"blocks"`      // share of its data blocks
	BlockBytes float64 `json:"block_bytes"` // mean size, uncompressed
}

// NewShape sums tables into levels and computes the inflection points and the worst
// case. tables[i] lists the tables of level i; empty levels are left out.
func NewShape(tables [NumLevels][]Table) *Shape { return newShape(tables, false) }

// NewFilteredShape is NewShape for a tree whose Gets also consult the filters of L6.
func NewFilteredShape(tables [NumLevels][]Table) *Shape { return newShape(tables, true) }

func newShape(tables [NumLevels][]Table, lastLevelFilters bool) *Shape {
	s := &Shape{LastLevelFilters: lastLevelFilters}
	for i, list := range tables {
		if len(list) == 0 {
			continue
		}
		s.Levels = append(s.Levels, sumLevel(i, list))
		if i > 0 && s.BaseLevel == 0 {
			s.BaseLevel = i
		}
	}
	s.derive()
	return s
}

func sumLevel(level int, list []Table) Level {
	l := Level{Level: level, Tables: int64(len(list)), TableList: list}
	for _, t := range list {
		l.Bytes += t.Bytes
		l.Records += t.Records
		l.RawBytes += t.RawBytes
		l.DataBytes += t.DataBytes
		l.DataBlocks += t.DataBlocks
		l.IndexBytes += t.IndexBytes
		l.IndexBlocks += t.IndexBlocks
		l.TopIndexBytes += t.TopIndexBytes
		l.FilterBytes += t.FilterBytes
		l.RangeDeletionBytes += t.RangeDeletionBytes
		if level == 0 {
			l.Sublevels = max(l.Sublevels, t.Sublevel+1)
		}
	}
	return l
}

func (s *Shape) derive() {
	filters := s.FilterBytesRead()
	var top, index int64
	for _, l := range s.Levels {
		top += l.TopIndexBytes + l.RangeDeletionBytes
		index += l.IndexBytes
	}
	s.IP1Bytes = filters + top
	s.IP2Bytes = filters + top + index
	s.WorstCaseReads = s.worstCaseReads()
}

// worstCaseReads returns the reads of a Get whose key is in the last sorted run when nothing is
// cached. Each run above costs 2 reads if it has filters (top index, filter) and 3 if not (top
// index, index, data). The last run, whose filter is not consulted in L6, costs 3; in a level above L6 it costs 4 with a
// filter. With filters in every run and L6 the last, this is the published study's formula, (X-1)*2 + 3 for X runs.
// In a level whose tables all have one-level indexes, a search without a filter reads only the top index and a data block.
// Range deletions in a level cost another read in each of its runs.
//
// If the filters of the last level are consulted, as in LevelDB, indexes have one level:
// each run costs 2 reads (top index, and filter or data), and the last run costs 3 if it
// has filters.
func (s *Shape) worstCaseReads() int64 {
	if s.LastLevelFilters {
		return s.worstCaseOneLevel()
	}
	const filtered = 2
	var sum int64
	for i, l := range s.Levels {
		run := int64(filtered)
		if l.FilterBytes == 0 {
			run = l.probeReads()
		}
		sum += (run + min(l.RangeDeletionBytes, 1)) * int64(l.runs())
		if i == len(s.Levels)-1 {
			sum += l.probeReads() - run
		}
	}
	if s.LastRunFiltered() {
		sum++
	}
	return sum
}

// probeReads returns the blocks that a search of one of the level's tables reads at most, without its filter.
func (l *Level) probeReads() int64 {
	if l.OneLevelIndexes() {
		return 2
	}
	return 3
}

// OneLevelIndexes reports whether the indexes of all tables have one level.
func (l *Level) OneLevelIndexes() bool { return l.TopIndexBytes > 0 && l.IndexBlocks == 0 }

// LastRunFiltered reports whether Pebble consults the filters of the last sorted run, as in all levels but L6.
func (s *Shape) LastRunFiltered() bool {
	n := len(s.Levels)
	return n > 0 && s.Levels[n-1].Level < NumLevels-1 && s.Levels[n-1].FilterBytes > 0
}

func (s *Shape) worstCaseOneLevel() (sum int64) {
	for _, l := range s.Levels {
		sum += 2 * int64(l.runs())
	}
	if n := len(s.Levels); n > 0 && s.Levels[n-1].FilterBytes > 0 {
		sum++
	}
	return sum
}

// ReadFiltersFirst marks the tree as one whose Gets consult a table's filter before its top index, and every table of L0
// that may hold their key.
func (s *Shape) ReadFiltersFirst() {
	s.FiltersFirst, s.WorstCaseReads = true, s.worstCaseFiltersFirst()
}

// worstCaseFiltersFirst returns the reads of a Get whose key is in the last sorted run when nothing is cached. In each
// run above, the Get reads the filter, which excludes the table, or index and data if there is no filter. In the last
// run, it reads all of them. Divided filters and indexes are two blocks.
func (s *Shape) worstCaseFiltersFirst() (reads int64) {
	for i, l := range s.Levels {
		var filter, probe int64
		for _, t := range l.TableList {
			if t.FilterBytes > 0 {
				filter = max(filter, 1+min(t.FilterBlocks, 1))
			}
			probe = max(probe, 2+min(t.IndexBlocks, 1))
		}
		runs := int64(1)
		if l.Level == 0 {
			runs = int64(len(l.TableList))
		}
		if filter == 0 {
			reads += runs * probe
			continue
		}
		if reads += runs * filter; i == len(s.Levels)-1 {
			reads += probe
		}
	}
	return reads
}

// AddBlobs adds blob files. A Get whose value lies in one makes one more read.
func (s *Shape) AddBlobs(files, bytes int64) {
	if files == 0 {
		return
	}
	s.BlobFiles, s.BlobBytes = files, bytes
	s.WorstCaseReads++
}

// RequireNoBlobs refuses the shape in a file whose database has blob files, for those who make Gets of the
// shape alone.
func (s *Shape) RequireNoBlobs(file string) error {
	if s.BlobFiles == 0 {
		return nil
	}
	return fmt.Errorf("%s describes a database with blob files, and a shape does not say which Gets read them: run 'getio curve' or 'getio advise' on the database itself", file)
}

// Runs returns the number of sorted runs.
func (s *Shape) Runs() (n int) {
	for _, l := range s.Levels {
		n += l.runs()
	}
	return n
}

// UnfilteredRuns returns the number of sorted runs above the last one that have no
// filters. A Get probes each of them.
func (s *Shape) UnfilteredRuns() (n int) {
	for i, l := range s.Levels {
		if l.FilterBytes > 0 {
			continue
		}
		n += l.runs()
		if i == len(s.Levels)-1 {
			n--
		}
	}
	return n
}

// runs returns the number of sorted runs in a level: one, or the sublevels of L0.
func (l Level) runs() int {
	if l.Level == 0 {
		return l.Sublevels
	}
	return 1
}

// FilterBytesRead returns the size of all filters that Gets consult. Filters of L6 count
// only if LastLevelFilters is set.
func (s *Shape) FilterBytesRead() int64 {
	var sum int64
	for _, l := range s.Levels {
		if s.LastLevelFilters || l.Level != NumLevels-1 {
			sum += l.FilterBytes
		}
	}
	return sum
}

// Total returns the sum of all levels, with -1 as its Level.
func (s *Shape) Total() Level {
	t := Level{Level: -1}
	for _, l := range s.Levels {
		t.Tables += l.Tables
		t.Bytes += l.Bytes
		t.Records += l.Records
		t.RawBytes += l.RawBytes
		t.DataBytes += l.DataBytes
		t.DataBlocks += l.DataBlocks
		t.IndexBytes += l.IndexBytes
		t.IndexBlocks += l.IndexBlocks
		t.TopIndexBytes += l.TopIndexBytes
		t.FilterBytes += l.FilterBytes
	}
	return t
}

// WithoutTables returns a copy of the shape without its table lists, for result records.
func (s *Shape) WithoutTables() *Shape {
	c := *s
	c.Levels = make([]Level, len(s.Levels))
	for i, l := range s.Levels {
		l.TableList = nil
		c.Levels[i] = l
	}
	return &c
}

// WithoutLevel0 returns a copy of the shape without the tables of L0.
func (s *Shape) WithoutLevel0() *Shape {
	var tables [NumLevels][]Table
	for _, l := range s.Levels {
		if l.Level > 0 {
			tables[l.Level] = slices.Clone(l.TableList)
		}
	}
	rest := newShape(tables, s.LastLevelFilters)
	rest.EvenTables, rest.FiltersFirst = s.EvenTables, s.FiltersFirst
	rest.AddBlobs(s.BlobFiles, s.BlobBytes)
	return rest
}

// Phase returns the published study's phase for a cache of the given size: 1 below IP1,
// 2 from IP1 to IP2, 3 above IP2.
func (s *Shape) Phase(cacheBytes int64) int {
	switch {
	case cacheBytes < s.IP1Bytes:
		return 1
	case cacheBytes <= s.IP2Bytes:
		return 2
	default:
		return 3
	}
}

// ComponentBytes returns the total size of each component that Gets read, and the size
// of the filters that no Get consults.
func (s *Shape) ComponentBytes() (read readpath.PerComponent, unreadFilter int64) {
	t := s.Total()
	read[readpath.Filter] = s.FilterBytesRead()
	read[readpath.TopIndex] = t.TopIndexBytes
	read[readpath.Index] = t.IndexBytes
	read[readpath.Data] = t.DataBytes
	return read, t.FilterBytes - read[readpath.Filter]
}

// MinWindowGets returns the smallest number of Gets per window that is enough to detect
// drift. Each second-level index block is then accessed about every other window. With
// shorter windows, a cache that fills slowly looks steady.
func (s *Shape) MinWindowGets() int64 { return max(20_000, s.IndexBlocks()/2) }

// IndexBlocks returns the number of index blocks of both levels.
func (s *Shape) IndexBlocks() int64 {
	t := s.Total()
	return t.IndexBlocks + t.Tables
}
