package pebbledb

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeCache is what a cache sets aside, and the library that uses it.
type fakeCache struct {
	mu        sync.Mutex
	aside     int64 // of the cache, by the library and by the Room
	memTables int64 // what the library's take
	most      int64 // most that ever was set aside
}

func (f *fakeCache) reserve(n int) func() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aside += int64(n)
	f.most = max(f.most, f.aside)
	return nil
}

func (f *fakeCache) reserved() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.memTables
}

// memTable makes or frees a memtable.
func (f *fakeCache) memTable(n int64) {
	f.reserve(int(n))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memTables += n
}

func (f *fakeCache) setAside() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.aside
}

// TestRoomForBlocksStays: whatever memtables take, blocks never have less room, and have
// no more once the library has come to rest.
func TestRoomForBlocksStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const memTable, first = 64 << 20, initialMemTable
		var cache fakeCache
		r := NewRoom(&Config{MemTableSize: memTable}, cache.reserve)
		r.MakeWay() // the open's own log
		cache.memTable(first)
		r.Keep(cache.reserved)
		holdRoom := func(when string) {
			t.Helper()
			synctest.Wait()
			if aside := cache.setAside(); aside != first {
				t.Errorf("%s, %d bytes are set aside, want %d", when, aside, first)
			}
			if cache.most > first {
				t.Errorf("%s, blocks had %d bytes less for a moment", when, cache.most-first)
			}
		}
		settle := func() { time.Sleep(2 * looks * time.Millisecond) } // of the bubble's own time
		holdRoom("after the open")

		for range 3 { // more memtables than there is cache
			r.MakeWay()
			cache.memTable(memTable)
			r.Made()
			settle()
			holdRoom("with one memtable more")
		}
		r.MakeWay() // one is used again
		r.Made()
		settle()
		holdRoom("with a memtable used again")
		cache.memTable(-memTable)
		r.Changed()
		settle()
		holdRoom("with one less")

		r.MakeWay() // what is freed while a memtable is being made does not count yet
		cache.memTable(-memTable)
		r.Changed()
		settle()
		cache.memTable(memTable)
		if cache.most > first {
			t.Errorf("blocks had %d bytes less while a memtable was made", cache.most-first)
		}
		r.Made()
		settle()
		holdRoom("at the end")
		r.Close()
	})
}
