package pebbledb

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeCache tracks the memory reserved from a cache, and that of the library's memtables.
type fakeCache struct {
	mu        sync.Mutex
	aside     int64 // reserved by the library, minus what the Compensator added
	memTables int64 // reserved by the library
	most      int64 // largest value of aside so far
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

// memTable creates a memtable, or frees one if n is negative.
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

// commit is a batch whose commit does what it says.
type commit func()

func (commit) Set(key, value []byte) error { return nil }
func (commit) Close() error                { return nil }
func (c commit) Commit() error             { c(); return nil }

// TestCompensatorKeepsBlockMemoryConstant checks that blocks never have less memory than
// nominal, and no more once the library is idle.
func TestCompensatorKeepsBlockMemoryConstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const memTable, first = 64 << 20, initialMemTable
		var cache fakeCache
		r := NewCompensator(&Config{MemTableSize: memTable}, cache.reserve)
		r.LogCreated() // the open's own log
		cache.memTable(first)
		r.Start(cache.reserved)
		requireAside := func(when string) {
			t.Helper()
			synctest.Wait()
			assert.EqualValues(t, first, cache.setAside(), when)
			if cache.most > first {
				t.Errorf("%s: blocks temporarily had %d bytes less", when, cache.most-first)
			}
		}
		settle := func() { time.Sleep(2 * adjustments * time.Millisecond) } // synctest's fake time
		requireAside("after the open")

		for range 3 { // more memtables than there is cache
			r.LogCreated()
			cache.memTable(memTable)
			r.LogWritten()
			settle()
			requireAside("with one more memtable")
		}
		r.LogCreated() // the library reuses a memtable
		r.LogWritten()
		settle()
		requireAside("with a reused memtable")
		cache.memTable(-memTable)
		r.Flushed()
		settle()
		requireAside("with one memtable fewer")

		// Commits too short to be written at once: the memory of the memtable that is flushed
		// meanwhile is taken back after one that began with the new memtable's log.
		r.LogCreated()
		cache.memTable(memTable)
		cache.memTable(-memTable)
		r.Flushed()
		settle()
		assert.EqualValues(t, first-memTable, cache.setAside(), "the memtable may not exist yet")
		require.NoError(t, r.Batch(commit(func() {})).Commit())
		settle()
		requireAside("after a commit that began with the log")
		require.NoError(t, r.Batch(commit(r.LogCreated)).Commit())
		settle()
		assert.EqualValues(t, first-memTable, cache.setAside(), "another commit may be about to create the memtable")
		require.NoError(t, r.Batch(commit(func() {})).Commit())
		settle()
		requireAside("after the next commit")

		r.LogCreated() // memory freed while a memtable is created does not count yet
		cache.memTable(-memTable)
		r.Flushed()
		settle()
		cache.memTable(memTable)
		if cache.most > first {
			t.Errorf("blocks had %d bytes less while a memtable was created", cache.most-first)
		}
		r.LogWritten()
		settle()
		requireAside("at the end")
		r.Close()
	})
}
