package watch

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/record"
	"getio/watch/probe"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(watcherEnv); text != "" {
		probetest.Become(text, (*watcherConfig).run)
	}
	probetest.Main(m)
}

// gets is how many Gets a program makes. GETIO_WATCH_GETS scales the tests up.
func gets(t *testing.T) int {
	text := os.Getenv("GETIO_WATCH_GETS")
	if text == "" {
		return 5_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// watched is a program seen from outside, and its own log.
type watched struct {
	record *record.Watch
	reads  []probetest.Read // of Gets
	log    *probetest.Log
}

// watchProgram watches a program from before its first Get until after its last.
// GETIO_WATCH_TARGET may name a build of these tests that was linked in another way.
func watchProgram(t *testing.T, c probetest.Config, o Options) *watched {
	t.Helper()
	probetest.RequireRights(t)
	p := probetest.Start(t, os.Getenv("GETIO_WATCH_TARGET"), c)
	w, err := Open(t.Context(), p.PID, o)
	require.NoError(t, err)
	defer w.Close()
	var all watched
	w.observe = func(d *database, r *probe.Read) {
		all.reads = append(all.reads, probetest.Read{DB: slices.Index(c.Dirs, d.path), Name: r.Name, Offset: r.Offset, Length: int(r.Length), OfGet: true})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	counting, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		all.record, err = w.Run(ctx, Run{Counting: func() { close(counting) }})
		ended <- err
	}()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-counting:
	}
	p.Go(t)
	all.log = p.Done(t)
	stop()
	require.NoError(t, <-ended)
	return &all
}

func byPlace(a, b probetest.Read) int {
	return cmp.Or(cmp.Compare(a.DB, b.DB), strings.Compare(a.Name, b.Name), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Length, b.Length))
}

// requireExact holds what was seen to the program's log: every Get, and every read of a Get.
func (w *watched) requireExact(t *testing.T, c probetest.Config) {
	t.Helper()
	r := w.record
	assert.True(t, r.Complete)
	assert.Equal(t, record.WatchLosses{AllReads: r.Losses.AllReads, UncountedReads: r.Losses.UncountedReads}, r.Losses)
	assert.True(t, len(r.Checks) > 0 && r.Checks.Hold(), r.Checks)
	wanted := slices.DeleteFunc(slices.Clone(w.log.Reads), func(r probetest.Read) bool { return !r.OfGet })
	slices.SortFunc(wanted, byPlace)
	slices.SortFunc(w.reads, byPlace)
	t.Logf("%d reads of Gets, %d others", len(wanted), len(w.log.Reads)-len(wanted))
	require.NotEmpty(t, wanted)
	assert.True(t, slices.EqualFunc(wanted, w.reads, func(a, b probetest.Read) bool { return byPlace(a, b) == 0 }), "%d reads of Gets were seen of %d", len(w.reads), len(wanted))
	require.Len(t, r.Databases, len(c.Dirs))
	for _, d := range r.Databases {
		i := slices.Index(c.Dirs, d.Path)
		require.GreaterOrEqual(t, i, 0, d.Path)
		var reads int64
		for _, r := range wanted {
			if r.DB == i {
				reads++
			}
		}
		assert.Equal(t, w.log.Gets[i], d.Gets)
		assert.Equal(t, reads, d.Reads.Count)
		var sum int64
		for _, c := range d.Components {
			sum += c.Reads
		}
		assert.Equal(t, reads, sum)
		assert.Equal(t, d.Gets, d.Distribution.Gets())
		assert.Equal(t, reads, d.Distribution.Reads())
	}
}

// directories returns n directories for databases.
func directories(t *testing.T, n int) (dirs []string) {
	top := t.TempDir()
	for i := range n {
		dirs = append(dirs, filepath.Join(top, strconv.Itoa(i)))
	}
	return dirs
}

func TestExact(t *testing.T) {
	for _, library := range probetest.Libraries() {
		t.Run(library, func(t *testing.T) {
			c := probetest.Config{
				Library: library, Dirs: directories(t, 1), Keys: 50_000, Gets: gets(t), Workers: 4,
				Writes: true, Iterators: 1, Deep: true, Cache: 256 << 10,
			}
			w := watchProgram(t, c, Options{})
			w.requireExact(t, c)
			causes := map[record.ReadCause]int64{}
			var all int64
			for _, c := range w.record.Databases[0].Causes {
				causes[c.Cause] = c.Count
				all += c.Count
			}
			// Compactions of what was written first may go on between the counting and the log.
			assert.GreaterOrEqual(t, all, int64(len(w.log.Reads)))
			assert.Positive(t, causes[record.CauseIterator])
			assert.Positive(t, causes[record.CauseCompaction])
			t.Log(causes)
		})
	}
}

// TestContained watches a program that has another number in its own PID namespace.
func TestContained(t *testing.T) {
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 20_000, Gets: gets(t), Workers: 2, Contained: true, Cache: 256 << 10}
	watchProgram(t, c, Options{}).requireExact(t, c)
}

// TestRecreated: a program deletes its database and makes another in its place, whose tables have the same numbers.
func TestRecreated(t *testing.T) {
	for _, library := range probetest.Libraries() {
		c := probetest.Config{Library: library, Dirs: directories(t, 1), Keys: 20_000, Gets: gets(t), Workers: 2, Settled: true, Recreated: true, Cache: 256 << 10}
		watchProgram(t, c, Options{}).requireExact(t, c)
	}
}

// TestDeepStacks: the caller is found below more calls than the kernel collects, or said to be unknown.
func TestDeepStacks(t *testing.T) {
	for calls, want := range map[int]string{100: "(*program).get.func", 400: "(*program).get.func", 1200: unknownCaller} {
		c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 20_000, Gets: 300, Workers: 1, Settled: true, Nested: calls, Cache: 256 << 10}
		w := watchProgram(t, c, Options{ByCaller: true})
		w.requireExact(t, c)
		for _, caller := range w.record.Databases[0].Callers {
			assert.Contains(t, caller.Method, want, "below %d calls", calls)
		}
	}
}

func TestDatabasesOfOneProcess(t *testing.T) {
	c := probetest.Config{
		Library: "pebblev2", Dirs: directories(t, 2), Keys: 20_000, Gets: gets(t), Workers: 4, Fresh: true, Cache: 256 << 10,
	}
	w := watchProgram(t, c, Options{Accesses: true})
	w.requireExact(t, c)
	for _, d := range w.record.Databases {
		assert.Positive(t, d.BlockCache.Accesses)
		assert.NoError(t, d.Checks.Err())
	}
}
