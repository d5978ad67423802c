package watch

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/numbers/steady"
	"getio/watch/probe"
	"getio/workload/trace"
)

// recorded reads a trace.
func recorded(t *testing.T, path string) (f *trace.File, all []trace.Operation) {
	t.Helper()
	f, err := trace.Check(t.Context(), path, nil)
	require.NoError(t, err)
	r, err := trace.NewReader(path)
	require.NoError(t, err)
	defer r.Close()
	for {
		var o trace.Operation
		err := r.Next(&o)
		if err == io.EOF {
			return f, all
		}
		require.NoError(t, err)
		all = append(all, o)
	}
}

func keysOf(all []trace.Operation) (keys [][]byte) {
	for _, o := range all {
		keys = append(keys, o.Keys[0].Bytes)
	}
	return keys
}

// TestRecording compares traces with the program's own list of keys.
func TestRecording(t *testing.T) {
	for _, library := range probetest.Libraries() {
		t.Run(library, func(t *testing.T) {
			c := probetest.Config{
				Library: library, Dirs: directories(t, 1), Keys: 20_000, Gets: gets(t), Workers: 1,
				Writes: true, Deep: true, NoteKeys: true, Cache: 256 << 10,
			}
			path := filepath.Join(t.TempDir(), "trace")
			w := watchProgram(t, c, Options{Record: &Recording{Path: path, Keys: trace.Whole, Sample: 1}})
			w.requireExact(t, c)
			f, all := recorded(t, path)
			assert.Equal(t, int64(c.Gets), f.Operations)
			want := trace.Recorded{Gets: int64(c.Gets), Before: f.Warmup, Sample: 1, Keys: trace.Whole}
			if library != "goleveldb" {
				want.Memtables = 1 // they are larger than the cache
			}
			assert.Equal(t, want, *f.Recorded)
			assert.True(t, slices.EqualFunc(w.log.Keys[0], keysOf(all), bytes.Equal), "the keys, or their order, differ")
			assert.True(t, slices.IsSortedFunc(all, func(a, b trace.Operation) int { return int(a.Seen.At - b.Seen.At) }))
			assert.Equal(t, f.Warmup, w.record.Trace.WarmupOperations)
		})
	}
}

// TestRecordingOfSeveral records one of two databases, whose Gets run beside each other.
func TestRecordingOfSeveral(t *testing.T) {
	c := probetest.Config{
		Library: "pebblev2", Dirs: directories(t, 2), Keys: 20_000, Gets: gets(t), Workers: 4, NoteKeys: true, Cache: 256 << 10,
	}
	path := filepath.Join(t.TempDir(), "trace.gz")
	w := watchProgram(t, c, Options{Record: &Recording{Path: path, Keys: trace.Whole, Sample: 1, Database: c.Dirs[1]}})
	_, all := recorded(t, path)
	got, want := keysOf(all), w.log.Keys[1]
	slices.SortFunc(got, bytes.Compare)
	slices.SortFunc(want, bytes.Compare)
	assert.True(t, slices.EqualFunc(want, got, bytes.Equal), "%d keys of %d", len(got), len(want))
	assert.Greater(t, all[len(all)-1].Seen.By, int64(0))
}

// TestChooseDatabase: a Pebble database comes before one of LevelDB, and then the largest before the others.
func TestChooseDatabase(t *testing.T) {
	made := func(family string, bytes int) *database {
		dir := t.TempDir()
		d := &database{directory: directory{dir, dir}, likely: []*library{{family: family}}}
		if bytes > 0 {
			require.NoError(t, os.WriteFile(filepath.Join(d.path, "000001.sst"), make([]byte, bytes), 0o600))
		}
		return d
	}
	empty, small, large := made("Pebble", 0), made("Pebble", 10), made("Pebble", 20)
	peers, level := made("LevelDB", 30), made("LevelDB", 40)
	for _, row := range []struct {
		want *database
		of   []*database
	}{
		{empty, []*database{peers, empty}}, {empty, []*database{empty, peers}}, {large, []*database{small, peers, large}},
		{large, []*database{level, large, small}}, {level, []*database{peers, level}}, {level, []*database{level, peers}},
	} {
		got, err := chooseDatabase("", row.of)
		require.NoError(t, err)
		assert.Same(t, row.want, got)
	}
}

// TestHashedRecording requires equal hashes of equal keys only, and no key.
func TestHashedRecording(t *testing.T) {
	c := probetest.Config{
		Library: "pebblev1", Dirs: directories(t, 1), Keys: 1000, Gets: gets(t), Workers: 1, NoteKeys: true, Cache: 256 << 10,
	}
	path := filepath.Join(t.TempDir(), "trace")
	w := watchProgram(t, c, Options{Record: &Recording{Path: path, Keys: trace.Hashed, Sample: 1}})
	f, all := recorded(t, path)
	assert.ErrorContains(t, f.RequireKeys(), "record a trace with --keys whole")
	hashes, keys := map[string]string{}, map[string]string{}
	require.Len(t, all, len(w.log.Keys[0]))
	for i, k := range w.log.Keys[0] {
		hash := string(all[i].Keys[0].Bytes)
		if known, ok := hashes[string(k)]; ok {
			require.Equal(t, known, hash)
		}
		hashes[string(k)], keys[hash] = hash, string(k)
	}
	assert.Len(t, keys, len(hashes))
}

// TestSampledRecording requires whole neighbourhoods, about their share of the Gets, and the number
// of all Gets.
func TestSampledRecording(t *testing.T) {
	c := probetest.Config{
		Library: "pebblev1", Dirs: directories(t, 1), Keys: 100_000, Gets: 4 * gets(t), Workers: 1, NoteKeys: true, Cache: 256 << 10,
	}
	path := filepath.Join(t.TempDir(), "trace")
	w := watchProgram(t, c, Options{Record: &Recording{Path: path, Keys: trace.Whole, Sample: 4}})
	f, all := recorded(t, path)
	assert.Equal(t, int64(c.Gets), f.Recorded.Gets)
	assert.InEpsilon(t, float64(c.Gets)/4, float64(f.Operations), 0.25)
	in := map[string]int64{}
	for _, o := range all {
		in[string(o.Keys[0].Bytes)] = o.Seen.In
	}
	sampled := slices.DeleteFunc(slices.Clone(w.log.Keys[0]), func(k []byte) bool { return in[string(k)] == 0 })
	require.True(t, slices.EqualFunc(sampled, keysOf(all), bytes.Equal), "some Gets of a key are in the trace, and others are not")
	// In key order, neighbourhoods come one after another.
	slices.SortFunc(all, func(a, b trace.Operation) int { return bytes.Compare(a.Keys[0].Bytes, b.Keys[0].Bytes) })
	assert.True(t, slices.IsSortedFunc(all, func(a, b trace.Operation) int { return int(a.Seen.In - b.Seen.In) }))
}

// TestRefusedRecordings requires a sentence, and no file.
func TestRefusedRecordings(t *testing.T) {
	probetest.RequireRights(t)
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 20_000, Workers: 1, Endless: true, Cache: 256 << 10}
	p := probetest.Start(t, "", c)
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	for want, r := range map[string]Recording{
		"already exists":           {Path: taken, Sample: 1},
		"no database open in /no ": {Path: filepath.Join(dir, "a"), Sample: 1, Database: "/no "},
		"lies in the database":     {Path: filepath.Join(c.Dirs[0], "t"), Sample: 1},
		"too small for a sample":   {Path: filepath.Join(dir, "b"), Sample: 1000},
	} {
		_, err := Open(t.Context(), p.PID, Options{Record: &r})
		assert.ErrorContains(t, err, want)
	}
	w, err := Open(t.Context(), p.PID, Options{Record: &Recording{Path: filepath.Join(dir, "c"), Sample: 1, Keys: trace.Whole}})
	require.NoError(t, err)
	_, err = w.Run(t.Context(), Run{Duty: 0.5})
	assert.ErrorContains(t, err, "omit it")
	require.NoError(t, w.Close())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// TestGetsOfOthersAreNotLost: Gets that wait for their database, and those that found no room to, are
// lost only if they may be of the recorded one.
func TestGetsOfOthersAreNotLost(t *testing.T) {
	was := mostHeld
	mostHeld = 2
	defer func() { mostHeld = was }()
	pebble := []*library{{family: "Pebble"}}
	own, other := &database{directory: directory{path: "own"}, likely: pebble}, &database{directory: directory{path: "other"}, likely: pebble}
	path := filepath.Join(t.TempDir(), "trace")
	r, err := newRecorder(t.Context(), Recording{Path: path, Keys: trace.Whole, Sample: 1, Database: "own"}, []*database{own, other})
	require.NoError(t, err)
	lookup := func(db uint64) *probe.Lookup { return &probe.Lookup{Get: probe.Get{DB: db}, Key: []byte{1}} }
	r.take(lookup(1), own)
	for range 5 {
		r.take(lookup(2), nil)
	}
	r.take(lookup(3), nil)
	r.resolve(func(g probe.Get) *database {
		if g.DB == 2 {
			return other
		}
		return nil
	})
	told, err := r.finish(7, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 7, told.Gets)
	assert.EqualValues(t, 1, told.LostGets)
	assert.EqualValues(t, 1, told.Operations)
}

// TestWarmupOfFewGets: the first half of a short trace warms up, too, and marks that are thinned out lead close to it.
func TestWarmupOfFewGets(t *testing.T) {
	for gets, off := range map[int64]float64{10: 0, 300_000: 8} {
		d := &database{directory: directory{path: "own"}, likely: []*library{{family: "Pebble"}}, windows: []steady.Window{{}, {Gets: gets / 2}, {}, {Gets: gets / 2, Reads: 1}}}
		r, err := newRecorder(t.Context(), Recording{Path: filepath.Join(t.TempDir(), "trace"), Keys: trace.Whole, Sample: 1, Database: "own"}, []*database{d})
		require.NoError(t, err)
		for range gets {
			r.take(&probe.Lookup{Get: probe.Get{DB: 1}, Key: []byte{1}}, d)
		}
		told, err := r.finish(gets, 0)
		require.NoError(t, err)
		assert.InDelta(t, gets/2, told.WarmupOperations, off)
		assert.LessOrEqual(t, len(r.marks), mostMarks)
	}
}
