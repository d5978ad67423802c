package engine_test

import (
	"testing"

	"getio/engine"
	"getio/tree/readpath"
)

func some(n int64) *int64 { return &n }

func TestCountsOfARunAreDifferences(t *testing.T) {
	before := engine.Counts{
		Reads:          readpath.Reads{Count: readpath.PerComponent{readpath.Data: 5}, Footers: 1},
		Accesses:       readpath.Accesses{Count: readpath.PerComponent{readpath.Data: 7}, Probed: 2},
		BlockCacheHits: 10, BlockCacheMisses: 20, TableCacheHits: 30, TableCacheMisses: 40,
		FilterNegatives: 50, FilterPositives: 60, SharedLoads: some(70), CategoryBytes: some(80), LibraryBytes: some(90), FilteredVisits: some(100),
		LibraryReads: some(110), CacheLookups: some(120), CacheInserts: some(130), LibraryMisses: &readpath.PerComponent{readpath.Index: 5},
	}
	after := engine.Counts{
		Reads:          readpath.Reads{Count: readpath.PerComponent{readpath.Data: 6}, Footers: 3},
		Accesses:       readpath.Accesses{Count: readpath.PerComponent{readpath.Data: 10}, Probed: 6},
		BlockCacheHits: 15, BlockCacheMisses: 26, TableCacheHits: 37, TableCacheMisses: 48,
		FilterNegatives: 59, FilterPositives: 70, SharedLoads: some(81), CategoryBytes: some(92), LibraryBytes: some(103), FilteredVisits: some(114),
		LibraryReads: some(125), CacheLookups: some(136), CacheInserts: some(148), LibraryMisses: &readpath.PerComponent{readpath.Index: 22},
	}
	run := after.Sub(before)
	if *run.SharedLoads != 11 || *run.CategoryBytes != 12 || *run.LibraryBytes != 13 || *run.FilteredVisits != 14 {
		t.Errorf("%d shared loads, %d and %d bytes, %d visits", *run.SharedLoads, *run.CategoryBytes, *run.LibraryBytes, *run.FilteredVisits)
	}
	if *run.LibraryReads != 15 || *run.CacheLookups != 16 || *run.CacheInserts != 18 || run.LibraryMisses[readpath.Index] != 17 {
		t.Errorf("%d reads, %d lookups, %d inserts, misses %v", *run.LibraryReads, *run.CacheLookups, *run.CacheInserts, *run.LibraryMisses)
	}
	run.SharedLoads, run.CategoryBytes, run.LibraryBytes, run.FilteredVisits = nil, nil, nil, nil
	run.LibraryReads, run.CacheLookups, run.CacheInserts, run.LibraryMisses = nil, nil, nil, nil
	want := engine.Counts{
		Reads:          readpath.Reads{Count: readpath.PerComponent{readpath.Data: 1}, Footers: 2},
		Accesses:       readpath.Accesses{Count: readpath.PerComponent{readpath.Data: 3}, Probed: 4},
		BlockCacheHits: 5, BlockCacheMisses: 6, TableCacheHits: 7, TableCacheMisses: 8, FilterNegatives: 9, FilterPositives: 10,
	}
	if run != want {
		t.Errorf("%+v", run)
	}
	if *before.SharedLoads != 70 || *after.SharedLoads != 81 {
		t.Error("the difference changed the counts")
	}
}

// What a library does not count is not counted as zero.
func TestWhatWasNotCountedHasNoDifference(t *testing.T) {
	for _, c := range []struct{ a, b *int64 }{{nil, nil}, {some(1), nil}, {nil, some(1)}} {
		if run := (engine.Counts{SharedLoads: c.a}).Sub(engine.Counts{SharedLoads: c.b}); run.SharedLoads != nil {
			t.Errorf("%d shared loads", *run.SharedLoads)
		}
	}
}
