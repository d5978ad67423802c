package lsm

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
)

// sampleShape has L0 in three sublevels, L5 and L6.
func sampleShape() *Shape {
	table := func(file uint64, sublevel int, scale int64) Table {
		return Table{
			File: file, Sublevel: sublevel, Smallest: Key{0, byte(file)}, Largest: Key{0xff, byte(file)},
			Bytes: 1000 * scale, Records: 10 * scale, DataBytes: 900 * scale, DataBlocks: 4 * scale,
			IndexBytes: 40 * scale, IndexBlocks: 2 * scale, TopIndexBytes: 5 * scale, FilterBytes: 12 * scale,
		}
	}
	return NewShape([NumLevels][]Table{
		0: {table(1, 0, 1), table(2, 0, 1), table(3, 1, 2), table(4, 2, 1)},
		5: {table(5, 0, 30)},
		6: {table(6, 0, 100), table(7, 0, 200)},
	})
}

func TestLevelsAreSumsOfTheirTables(t *testing.T) {
	s := sampleShape()
	if len(s.Levels) != 3 || s.BaseLevel != 5 {
		t.Fatalf("%d levels, base level L%d", len(s.Levels), s.BaseLevel)
	}
	l0 := s.Levels[0]
	l0.TableList = nil
	want := Level{
		Level: 0, Sublevels: 3, Tables: 4, Bytes: 5000, Records: 50, DataBytes: 4500, DataBlocks: 20,
		IndexBytes: 200, IndexBlocks: 10, TopIndexBytes: 25, FilterBytes: 60,
	}
	assert.Equal(t, want, l0)
	assert.Zero(t, s.Levels[1].Sublevels)
	if total := s.Total(); total.Tables != 7 || total.Bytes != 335_000 || total.Records != 3350 || total.FilterBytes != 335*12 {
		t.Errorf("the total is %+v", total)
	}
}

func TestInflectionPointsExcludeLastLevelFilter(t *testing.T) {
	s := sampleShape()
	filters, top, index := int64(35*12), int64(335*5), int64(335*40)
	if s.IP1Bytes != filters+top || s.IP2Bytes != filters+top+index {
		t.Errorf("IP1 %d, IP2 %d", s.IP1Bytes, s.IP2Bytes)
	}
}

func TestFiltersAreAllReadWithoutL6(t *testing.T) {
	s := NewShape([NumLevels][]Table{4: {{FilterBytes: 7}}, 5: {{FilterBytes: 11}}})
	if s.FilterBytesRead() != 18 || s.IP1Bytes != 18 {
		t.Errorf("%d filter bytes are read, IP1 %d", s.FilterBytesRead(), s.IP1Bytes)
	}
}

func TestWorstCaseReads(t *testing.T) {
	type levels = [NumLevels][]Table
	one, bare := []Table{{FilterBytes: 1}}, []Table{{}}
	three := []Table{{FilterBytes: 1}, {Sublevel: 1}, {Sublevel: 2}}
	small, smallBare := []Table{{FilterBytes: 1, TopIndexBytes: 1}}, []Table{{TopIndexBytes: 1}}
	large := Table{TopIndexBytes: 1, IndexBlocks: 2}
	for _, c := range []struct {
		name  string
		shape *Shape
		want  int64
	}{
		{"nothing", NewShape(levels{}), 0},
		{"L6 alone", NewShape(levels{6: one}), 3},
		{"one L0 sublevel alone", NewShape(levels{0: one}), 4}, // top index, filter, index, data
		{"L0 and L5", NewShape(levels{0: one, 5: one}), 6},
		{"L0 and L5, whose tables have no filter", NewShape(levels{0: one, 5: bare}), 5},
		{"L0 and L6", NewShape(levels{0: one, 6: one}), 5},
		{"published, 20 billion keys", NewShape(levels{0: one, 1: one, 2: one, 3: one, 4: one, 5: one, 6: one}), 15},
		{"three sublevels, L6", NewShape(levels{0: three, 6: bare}), 9},
		{"no filters", NewShape(levels{0: bare, 5: bare, 6: bare}), 9},
		{"small tables", NewShape(levels{0: small, 5: smallBare, 6: small}), 6},
		{"small tables in L0 and L5 alone", NewShape(levels{0: small, 5: small}), 5},
		{"small and large tables in L6", NewShape(levels{0: small, 6: {smallBare[0], large}}), 5},
		{"no filters in L0", NewShape(levels{0: bare, 5: one, 6: one}), 8},
		{"nothing, one-level indexes", NewFilteredShape(levels{}), 0},
		{"one level, one-level indexes", NewFilteredShape(levels{1: one}), 3},             // index, filter, data
		{"one level, one-level indexes, no filter", NewFilteredShape(levels{1: bare}), 2}, // index, data
		{"three tables in L0, L1, L2, one-level indexes", NewFilteredShape(levels{0: three, 1: one, 2: one}), 11},
		{"no filters, one-level indexes", NewFilteredShape(levels{0: bare, 1: bare, 6: bare}), 6},
	} {
		assert.Equal(t, c.want, c.shape.WorstCaseReads, c.name)
	}
}

func TestUnfilteredRuns(t *testing.T) {
	one, bare := []Table{{FilterBytes: 1}}, []Table{{}}
	for want, tables := range []([NumLevels][]Table){
		{5: one, 6: bare}, {0: bare, 5: one, 6: bare}, {0: bare, 5: bare, 6: one},
	} {
		assert.Equal(t, want, NewShape(tables).UnfilteredRuns())
	}
}

func TestPhase(t *testing.T) {
	for _, c := range []struct {
		ip2  int64
		want map[int64]int // by cache size
	}{
		{1000, map[int64]int{0: 1, 99: 1, 100: 2, 101: 2, 999: 2, 1000: 2, 1001: 3, math.MaxInt64: 3}},
		{100, map[int64]int{99: 1, 100: 2, 101: 3}}, // without second-level indexes
	} {
		s := &Shape{IP1Bytes: 100, IP2Bytes: c.ip2}
		for cache, want := range c.want {
			assert.Equal(t, want, s.Phase(cache), "IP2 %d: phase of a cache of %d", c.ip2, cache)
		}
	}
}

func TestComponentBytes(t *testing.T) {
	read, unread := sampleShape().ComponentBytes()
	want := readpath.PerComponent{
		readpath.Filter: 35 * 12, readpath.TopIndex: 335 * 5, readpath.Index: 335 * 40, readpath.Data: 335 * 900,
	}
	if read != want || unread != 300*12 {
		t.Errorf("read %v, unread filter %d", read, unread)
	}
}

func TestShapeRoundTripsThroughJSON(t *testing.T) {
	want := sampleShape()
	want.Schema = SchemaV1
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got Shape
	require.NoError(t, json.Unmarshal(text, &got))
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got %+v, want %+v", got, *want)
	}
}

func TestHoldsShape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for text, want := range map[string]bool{
		`{"schema": "getio.shape/1", "levels": []}`:             true,
		`{"levels": [{"level": 0}], "schema": "getio.shape/1"}`: true,
		`{"schema": "getio.shape/1", "levels": [`:               true, // of which a part is left
		`{"schema": "getio.result/1", "shape": {}}`:             false,
		`{"shape": {"schema": "getio.shape/1"}}`:                false,
		`{"levels": [`:                                          false,
		`["schema", "getio.shape/1"]`:                           false,
		"notes":                                                 false,
		"":                                                      false,
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := HoldsShape(path)
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
	_, err := HoldsShape(path + ".absent")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestShapeFieldNames(t *testing.T) {
	text, err := json.Marshal(sampleShape())
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(text, &got))
	for _, name := range []string{"levels", "ip1_bytes", "ip2_bytes", "worst_case_reads"} {
		if _, ok := got[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	level := got["levels"].([]any)[0].(map[string]any)
	for _, name := range []string{"level", "tables", "records", "data_bytes", "data_blocks", "index_bytes", "index_blocks", "top_index_bytes", "filter_bytes"} {
		if _, ok := level[name]; !ok {
			t.Errorf("a level has no %s", name)
		}
	}
}

func TestWithoutTablesDoesNotModifyTheShape(t *testing.T) {
	s := sampleShape()
	bare := s.WithoutTables()
	for i := range s.Levels {
		if bare.Levels[i].TableList != nil || len(s.Levels[i].TableList) == 0 {
			t.Errorf("L%d: %d tables listed without, %d with", s.Levels[i].Level, len(bare.Levels[i].TableList), len(s.Levels[i].TableList))
		}
	}
	if bare.IP1Bytes != s.IP1Bytes || bare.Total().Records != s.Total().Records {
		t.Error("figures went with the tables")
	}
}

func TestFilteredShapeReadsLastLevelFilters(t *testing.T) {
	s := NewFilteredShape([NumLevels][]Table{5: {{FilterBytes: 7, TopIndexBytes: 100}}, 6: {{FilterBytes: 11, TopIndexBytes: 1000}}})
	read, unread := s.ComponentBytes()
	if s.IP1Bytes != 1118 || s.IP2Bytes != 1118 || read[readpath.Filter] != 18 || unread != 0 {
		t.Errorf("IP1 %d, IP2 %d, filters %d and %d", s.IP1Bytes, s.IP2Bytes, read[readpath.Filter], unread)
	}
	// Derived shapes keep the setting.
	if filled := (&TableFormat{}).EstimateShape(s); !filled.LastLevelFilters {
		t.Error("a filled shape forgot it")
	}
}

// TestAddBlobs: a value in a blob file is one read more in the worst case, and copies of the shape keep the files.
func TestAddBlobs(t *testing.T) {
	s := &Shape{WorstCaseReads: 5}
	s.AddBlobs(0, 0)
	assert.Equal(t, &Shape{WorstCaseReads: 5}, s)
	s.AddBlobs(3, 1000)
	assert.Equal(t, &Shape{WorstCaseReads: 6, BlobFiles: 3, BlobBytes: 1000}, s)
	for _, c := range []*Shape{s.WithoutTables(), s.WithoutLevel0(), s.EachTable(func(int, *Table) {})} {
		assert.Equal(t, []int64{3, 1000}, []int64{c.BlobFiles, c.BlobBytes})
		assert.ErrorContains(t, c.RequireNoBlobs("shape.json"), "shape.json describes a database with blob files")
	}
	assert.NoError(t, new(Shape).RequireNoBlobs("shape.json"))
}
