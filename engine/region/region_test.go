package region

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
)

// rowMap returns a map in the order of row formats: data, filter, index, top index.
func rowMap() Map {
	return Map{
		Size: 2000, Data: Extent{0, 1000}, Filter: Extent{1000, 1100}, Index: Extent{1100, 1300}, TopIndex: Extent{1300, 1350},
		Properties: Extent{1500, 1800}, MetaIndex: Extent{1800, 1947},
	}
}

// columnarMap returns a map in the order of columnar formats: data, index, top index, filter.
func columnarMap() Map {
	return Map{
		Size: 2000, Data: Extent{0, 1000}, Index: Extent{1000, 1200}, TopIndex: Extent{1200, 1250}, Filter: Extent{1250, 1350},
		Properties: Extent{1500, 1800}, MetaIndex: Extent{1800, 1939},
	}
}

func TestClassify(t *testing.T) {
	r := rowMap()
	for _, c := range []struct {
		off, end       int64
		want           readpath.Component
		placed, footer bool
	}{
		{0, 1000, readpath.Data, true, false},
		{995, 1000, readpath.Data, true, false},
		{995, 1001, readpath.Other, false, false},
		{1000, 1100, readpath.Filter, true, false},
		{1000, 1099, readpath.Other, false, false},
		{1001, 1100, readpath.Other, false, false},
		{999, 1100, readpath.Other, false, false},
		{1100, 1200, readpath.Index, true, false},
		{1099, 1200, readpath.Other, false, false},
		{1250, 1350, readpath.Other, false, false},
		{1300, 1350, readpath.TopIndex, true, false},
		{1300, 1349, readpath.Other, false, false},
		{1350, 1500, readpath.Other, true, false}, // range deletions, value blocks
		{1349, 1500, readpath.Other, false, false},
		{1350, 1501, readpath.Other, false, false},
		{1500, 1800, readpath.TableOpen, true, false},
		{1500, 1799, readpath.Other, false, false},
		{1800, 1947, readpath.TableOpen, true, false},
		{1947, 2000, readpath.TableOpen, true, true},
		{1939, 2000, readpath.TableOpen, true, true},
		{1938, 2000, readpath.Other, false, false},
		{1947, 1999, readpath.Other, false, false},
		{0, 2000, readpath.Other, false, false},
		{2000, 2100, readpath.Other, false, false},
	} {
		got, placed, footer := r.Classify(c.off, int(c.end-c.off))
		if got != c.want || placed != c.placed || footer != c.footer {
			t.Errorf("[%d,%d) is for %s, placed %v, footer %v; want %s, %v, %v", c.off, c.end, got, placed, footer, c.want, c.placed, c.footer)
		}
	}
}

// TestClassifyInBlobFile: a blob file has a header, records, and a footer.
func TestClassifyInBlobFile(t *testing.T) {
	r := Map{Size: 1000, BlobHeader: Extent{0, 30}, Blobs: Extent{30, 968}}
	for _, c := range []struct {
		off, end       int64
		want           readpath.Component
		placed, footer bool
	}{
		{0, 30, readpath.TableOpen, true, false},
		{30, 100, readpath.Blob, true, false},
		{500, 968, readpath.Blob, true, false},
		{968, 1000, readpath.TableOpen, true, true},
		{0, 29, readpath.Other, false, false},
		{0, 100, readpath.Other, false, false},
		{29, 100, readpath.Other, false, false},
		{900, 1000, readpath.Other, false, false},
	} {
		got, placed, footer := r.Classify(c.off, int(c.end-c.off))
		if got != c.want || placed != c.placed || footer != c.footer {
			t.Errorf("[%d,%d) is for %s, placed %v, footer %v; want %s, %v, %v", c.off, c.end, got, placed, footer, c.want, c.placed, c.footer)
		}
	}
	var counter Counter
	table := counter.Table(7, &r)
	table.Count(30, 70)
	table.Misplace()
	assert.EqualValues(t, 1, counter.Reads().Count[readpath.Blob])
	assert.EqualValues(t, 1, counter.Reads().Misplaced)
}

func TestClassifyWithAbsentRegions(t *testing.T) {
	r := rowMap()
	r.Filter, r.Index = Extent{}, Extent{}
	for _, off := range []int64{1000, 1100} {
		if c, placed, _ := r.Classify(off, 100); placed || c != readpath.Other {
			t.Errorf("a read at %d is for %s, placed %v", off, c, placed)
		}
	}
}

func TestVerifyAcceptsBothLayouts(t *testing.T) {
	for _, r := range []Map{rowMap(), columnarMap()} {
		assert.NoError(t, r.Verify(), "%+v", r)
	}
}

func TestVerifyRejectsGapsAndOverlaps(t *testing.T) {
	for name, change := range map[string]func(*Map){
		"data begins late":              func(r *Map) { r.Data.Off = 1 },
		"data ends early":               func(r *Map) { r.Data.End-- },
		"data runs into the next":       func(r *Map) { r.Data.End++ },
		"filter begins late":            func(r *Map) { r.Filter.Off++ },
		"index begins early":            func(r *Map) { r.Index.Off-- },
		"index ends late":               func(r *Map) { r.Index.End++ },
		"top index begins late":         func(r *Map) { r.TopIndex.Off++ },
		"top index ends before it":      func(r *Map) { r.TopIndex.End = r.TopIndex.Off - 1 },
		"properties among the blocks":   func(r *Map) { r.Properties.Off = 1349 },
		"metaindex among the blocks":    func(r *Map) { r.MetaIndex.Off = 10 },
		"metaindex behind the file":     func(r *Map) { r.MetaIndex.End = 2001 },
		"top index into the properties": func(r *Map) { r.TopIndex.End = 1600 },
	} {
		for _, r := range []Map{rowMap(), columnarMap()} {
			change(&r)
			assert.Error(t, r.Verify(), "%s: %+v was accepted", name, r)
		}
	}
}

// TestCheckRead: a read is checked where it holds a filter, or another single block, as a whole.
func TestCheckRead(t *testing.T) {
	m := Map{Filter: Extent{100, 120}, Others: []Extent{{150, 160}}, TopIndex: Extent{120, 150}}
	file := make([]byte, 200)
	require.NoError(t, m.CheckRead(file, 0), "without checksums nothing is checked")
	m.Intact = func(off int64, stored []byte) error {
		assert.Contains(t, []int64{m.Filter.Off, m.Others[0].Off}, off)
		if stored[0] != 0 {
			return fmt.Errorf("is %d", stored[0])
		}
		return nil
	}
	require.NoError(t, m.CheckRead(file, 0))
	file[100], file[130] = 7, 9
	assert.EqualError(t, m.CheckRead(file, 0), "its block at byte 100 is 7")
	assert.EqualError(t, m.CheckRead(file[100:120], 100), "its block at byte 100 is 7")
	assert.NoError(t, m.CheckRead(file[100:119], 100), "a part of the filter has no checksum")
	assert.NoError(t, m.CheckRead(file[120:], 120), "the index is checked by the library")
	file[150] = 8
	assert.EqualError(t, m.CheckRead(file[120:], 120), "its block at byte 150 is 8")
}
