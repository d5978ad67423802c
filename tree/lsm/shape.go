// Package lsm describes the shape of a log-structured merge tree as reads see
// it: levels, tables, and the bytes and blocks of each component.
package lsm

import "getio/tree/readpath"

// NumLevels is the number of levels of a Pebble or LevelDB tree, L0 to L6.
const NumLevels = 7

// Shape is the shape of one settled tree.
//
// Index and filter sizes are uncompressed bytes, which is what a block takes
// in the block cache; data sizes are bytes on disk, block trailers included.
type Shape struct {
	Schema string  `json:"schema,omitempty"`
	Levels []Level `json:"levels"` // non-empty levels, L0 first

	IP1Bytes       int64 `json:"ip1_bytes"`
	IP2Bytes       int64 `json:"ip2_bytes"`
	WorstCaseReads int64 `json:"worst_case_reads"`
	// BaseLevel is the highest level below L0 that holds tables; compactions
	// out of L0 go there. Zero if nothing lies below L0.
	BaseLevel int `json:"base_level,omitempty"`
	// Engine is the one that the database was looked at with. Empty for trees that
	// nobody has.
	Engine string `json:"engine,omitempty"`
	// EvenTables: records lie evenly within each table, as where a tree was built
	// table by table and did not grow.
	EvenTables bool `json:"even_tables,omitempty"`
	// LastLevelFilters: Gets consult the filters of L6 too, as LevelDB's do and
	// Pebble's do not.
	LastLevelFilters bool `json:"last_level_filters,omitempty"`
	// FiltersFirst: Gets consult a table's filter before its top index, as RocksDB's
	// do. The worst case is then what the engine says it is.
	FiltersFirst bool `json:"filters_first,omitempty"`
}

// SchemaV1 marks a Shape that stands alone in a file.
const SchemaV1 = "getio.shape/1"

// Level is one level's totals.
type Level struct {
	Level         int   `json:"level"`
	Sublevels     int   `json:"sublevels,omitempty"` // L0 only
	Tables        int64 `json:"tables"`
	Bytes         int64 `json:"bytes"`               // of the table files
	Records       int64 `json:"records,omitempty"`   // absent if tables do not say
	RawBytes      int64 `json:"raw_bytes,omitempty"` // of the records' keys, with trailers, and values; absent if not known
	DataBytes     int64 `json:"data_bytes"`
	DataBlocks    int64 `json:"data_blocks"`
	IndexBytes    int64 `json:"index_bytes"`  // second-level index blocks
	IndexBlocks   int64 `json:"index_blocks"` // second-level index blocks
	TopIndexBytes int64 `json:"top_index_bytes"`
	FilterBytes   int64 `json:"filter_bytes"`

	TableList []Table `json:"table_list,omitempty"`
}

// Table is one table, with the bounds of its user keys.
type Table struct {
	File          uint64 `json:"file"`
	Sublevel      int    `json:"sublevel,omitempty"`
	Smallest      Key    `json:"smallest"`
	Largest       Key    `json:"largest"`
	Bytes         int64  `json:"bytes"`
	Records       int64  `json:"records,omitempty"`
	RawBytes      int64  `json:"raw_bytes,omitempty"`
	DataBytes     int64  `json:"data_bytes"`
	DataBlocks    int64  `json:"data_blocks"`
	IndexBytes    int64  `json:"index_bytes,omitempty"`
	IndexBlocks   int64  `json:"index_blocks,omitempty"`
	TopIndexBytes int64  `json:"top_index_bytes"`
	FilterBytes   int64  `json:"filter_bytes,omitempty"`
	// Offsets in the file decide on a block's shard of a cache; 0 if not known.
	TopIndexOffset int64 `json:"top_index_offset,omitempty"`
	FilterOffset   int64 `json:"filter_offset,omitempty"`
}

// Segment is a part of a table whose data blocks are alike: where records differ in
// size, some blocks hold many of them, and are asked for often, and others hold one.
type Segment struct {
	Records, Blocks float64 // shares of the table's
	BlockBytes      float64 // mean size of its blocks in the cache
}

// NewShape sums tables into levels and derives the figures that follow from
// them. tables[i] lists the tables of level i; empty levels are left out.
func NewShape(tables [NumLevels][]Table) *Shape { return newShape(tables, false) }

// NewFilteredShape is NewShape of a tree whose Gets consult the filters of L6 too.
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
		top += l.TopIndexBytes
		index += l.IndexBytes
	}
	s.IP1Bytes = filters + top
	s.IP2Bytes = filters + top + index
	s.WorstCaseReads = s.worstCaseReads()
}

// worstCaseReads is what a Get costs when nothing is cached and its key is in
// the last sorted run: 2 reads (top index and filter) for each run above, whose
// filter rules its table out, or 3 (top index, index, data) where it has none,
// and 3 in the last, whose filter is not consulted. With filters everywhere it
// is the published study's formula, (X-1)*2 + 3 for X runs.
//
// Where filters of the last level are consulted, as LevelDB does, indexes have one
// level: 2 reads (top index, and filter or data) for each run, and in the last, if
// it has a filter, 3.
func (s *Shape) worstCaseReads() int64 {
	if s.LastLevelFilters {
		return s.worstCaseOneLevel()
	}
	const filtered, probed = 2, 3
	var sum, last int64
	for _, l := range s.Levels {
		last = filtered
		if l.FilterBytes == 0 {
			last = probed
		}
		sum += last * int64(l.runs())
	}
	if sum == 0 {
		return 0
	}
	return sum - last + probed
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

// UnfilteredRuns is the number of sorted runs above the last one that have no
// filter, so that a Get probes each of them.
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

// runs is the number of sorted runs of a level: one for each sublevel of L0.
func (l Level) runs() int {
	if l.Level == 0 {
		return l.Sublevels
	}
	return 1
}

// FilterBytesRead is the size of all filters that Get consults: but for LevelDB's
// Gets, all but those of the last level, L6. A tree that ends above L6 has every
// filter consulted.
func (s *Shape) FilterBytesRead() int64 {
	var sum int64
	for _, l := range s.Levels {
		if s.LastLevelFilters || l.Level != NumLevels-1 {
			sum += l.FilterBytes
		}
	}
	return sum
}

// Total sums all levels; its Level is -1.
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

// WithoutTables is the shape without its per-table lists, as result records
// carry it.
func (s *Shape) WithoutTables() *Shape {
	c := *s
	c.Levels = make([]Level, len(s.Levels))
	for i, l := range s.Levels {
		l.TableList = nil
		c.Levels[i] = l
	}
	return &c
}

// Phase tells in which of the published study's phases a cache of the given
// size works: 1 below IP1, 2 from IP1 to IP2, 3 above IP2.
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

// ComponentBytes is the size of each component over the whole tree, and
// whether Get reads it: the filters of L6 are there but never consulted.
func (s *Shape) ComponentBytes() (read readpath.PerComponent, unreadFilter int64) {
	t := s.Total()
	read[readpath.Filter] = s.FilterBytesRead()
	read[readpath.TopIndex] = t.TopIndexBytes
	read[readpath.Index] = t.IndexBytes
	read[readpath.Data] = t.DataBytes
	return read, t.FilterBytes - read[readpath.Filter]
}

// MinWindowGets is the least number of Gets in a window from which drift can be
// read: each second-level index block is then asked for about every other window.
// Shorter windows take a cache that fills slowly for a steady one.
func (s *Shape) MinWindowGets() int64 {
	t := s.Total()
	return max(20_000, (t.IndexBlocks+t.Tables)/2)
}
