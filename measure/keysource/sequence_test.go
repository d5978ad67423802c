package keysource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
)

const n = 1000

func keyspace(t *testing.T) dataset.Keyspace {
	t.Helper()
	ks, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, n, 0)
	require.NoError(t, err)
	return ks
}

// TestWrittenKeys: present keys are in the keyspace, absent ones are not, and the share of
// absent ones is as requested.
func TestWrittenKeys(t *testing.T) {
	ks := keyspace(t)
	index := map[string]uint64{}
	var key [dataset.KeySize]byte
	for i := range uint64(n) {
		ks.Key(i, &key)
		index[string(key[:])] = i
	}
	for _, absent := range []float64{0, 0.1, 0.5, 1} {
		gets := Written(ks, nil, workload.Keys{Seed: 7, Absent: absent})
		const total = 20_000
		misses := 0
		for g := range int64(total) {
			key, want := gets.Key(g, nil)
			i, there := index[string(key)]
			if there != want.Present || there && i != want.Index {
				t.Fatalf("absent %v, Get %d: key %x there %v, want %+v", absent, g, key, there, want)
			}
			if !there {
				misses++
			}
		}
		sd := math.Sqrt(total * absent * (1 - absent))
		if math.Abs(float64(misses)-total*absent) > 4*sd {
			t.Errorf("absent %v: %d of %d Gets", absent, misses, total)
		}
	}
}

func TestPresentKeysDoNotDependOnAbsentShare(t *testing.T) {
	ks := keyspace(t)
	all, half := Written(ks, nil, workload.Keys{Seed: 3, Absent: 0}), Written(ks, nil, workload.Keys{Seed: 3, Absent: 0.5})
	same := 0
	for g := range int64(2000) {
		a, _ := all.Key(g, nil)
		if b, want := half.Key(g, nil); want.Present {
			require.Equal(t, b, a, "Get %d", g)
			same++
		}
	}
	assert.GreaterOrEqual(t, same, 800)
	other := Written(ks, nil, workload.Keys{Seed: 4, Absent: 0})
	if a, _ := all.Key(0, nil); bytes.Equal(a, must(other.Key(0, nil))) && bytes.Equal(must(all.Key(1, nil)), must(other.Key(1, nil))) {
		t.Error("two seeds ask for the same keys")
	}
}

func must(key []byte, _ Want) []byte { return key }

func TestCheckDetectsWrongOutcomes(t *testing.T) {
	ks := keyspace(t)
	values, err := dataset.NewValues(dataset.ValuesRandom, 20, 1)
	require.NoError(t, err)
	gets := Written(ks, values, workload.Keys{Seed: 7, Absent: 0.5})
	var present, absent bool
	for g := int64(0); !present || !absent; g += checkBytesEvery {
		key, want := gets.Key(g, nil)
		value := values.Value(want.Index, nil)
		assert.NoError(t, gets.Check(g, want, key, want.Present, value), "Get %d", g)
		assert.Error(t, gets.Check(g, want, key, !want.Present, value), "Get %d: found %v passed", g, !want.Present)
		if !want.Present {
			absent = true
			continue
		}
		present = true
		assert.Error(t, gets.Check(g+1, want, key, true, value[:19]), "a value that is too short passed")
		value[5]++
		assert.Error(t, gets.Check(g, want, key, true, value), "a wrong value passed")
	}
}

func TestReadKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	write := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("# keys\n00ff\n\n0xAbCd \n")
	list, err := readKeys(path)
	require.NoError(t, err)
	assert.Equal(t, listOf(map[int][]byte{2: {0x00, 0xff}, 4: {0xab, 0xcd}}).bytes, list.bytes)
	assert.Equal(t, []uint32{2, 4}, list.lines)
	assert.Equal(t, []byte{0xab, 0xcd}, list.key(1))
	write("00ff\nzz\n")
	if _, err := readKeys(path); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("garbage on line 2: %v", err)
	}
	write("# nothing\n")
	if _, err := readKeys(path); err == nil {
		t.Error("a file without keys was accepted")
	}
	if _, err := readKeys(path + "x"); err == nil {
		t.Error("a missing file was accepted")
	}
}

// listOf returns a keys file's keys by their lines.
func listOf(keys map[int][]byte) *listed {
	l := &listed{}
	for _, line := range slices.Sorted(maps.Keys(keys)) {
		l.add(keys[line], line)
	}
	return l
}

// fakeDB holds some keys.
type fakeDB map[string]string

func (d fakeDB) Get(key, buf []byte) ([]byte, bool, error) {
	if string(key) == "broken" {
		return nil, false, errors.New("broken")
	}
	v, ok := d[string(key)]
	return append(buf[:0], v...), ok, nil
}
func (fakeDB) Scan(_, _ []byte, _ func(_, _ []byte) error) error {
	return errors.New("a fake is not scanned")
}
func (fakeDB) Counts() engine.Counts                { return engine.Counts{} }
func (fakeDB) Check(engine.Counts) []readpath.Check { return nil }
func (fakeDB) Cache() engine.Cache                  { return engine.Cache{} }
func (fakeDB) State() string                        { return "" }
func (fakeDB) Close() error                         { return nil }

// drawnFrom is a source with a few keys.
type drawnFrom [][]byte

func (drawnFrom) Close() error                                  { return nil }
func (drawnFrom) prepare(context.Context, engine.Lookups) error { return nil }

func (d drawnFrom) draw(_ context.Context, from []choice) (keys [][]byte, err error) {
	for _, c := range from {
		n := c.number
		if !c.numbered {
			n = dataset.Bounded(c.rand(), uint64(len(d)))
		}
		keys = append(keys, bytes.Clone(d[n]))
	}
	return keys, nil
}

func (d drawnFrom) population() (uint64, error) { return uint64(len(d)), nil }

// drawing returns Gets of keys from the source, looked up in db.
func drawing(t *testing.T, s source, db fakeDB, r workload.Keys) Sequence {
	t.Helper()
	gets, err := newDrawn(s, r, func() (engine.Lookups, error) { return db, nil })
	require.NoError(t, err)
	return gets
}

func TestListedErrorNamesTheLine(t *testing.T) {
	list := listOf(map[int][]byte{1: []byte("here"), 5: []byte("gone")})
	list.path = "keys"
	err := list.prepare(context.Background(), fakeDB{"here": "x"})
	assert.ErrorContains(t, err, "keys, line 5")
	assert.NoError(t, list.prepare(context.Background(), fakeDB{"here": "x", "gone": "y"}))
}

// TestDrawnLooksKeysUp: deleted keys are drawn again, absent ones are absent, and Gets ask
// for the same keys in any batches.
func TestDrawnLooksKeysUp(t *testing.T) {
	db := fakeDB{"prefix-aaaaaaaa": "one", "prefix-bbbbbbbb": "three"}
	source := drawnFrom{[]byte("prefix-aaaaaaaa"), []byte("prefix-deleted-"), []byte("prefix-bbbbbbbb")}
	gets := drawing(t, source, db, workload.Keys{Seed: 1, Absent: 0.3})
	require.NoError(t, gets.Prepare(context.Background(), 100, 500))
	var keys [][]byte
	absent := 0
	for g := int64(100); g < 600; g++ {
		key, want := gets.Key(g, nil)
		value, there := db[string(key)]
		if there != want.Present || there && int(want.Index) != len(value) {
			t.Fatalf("Get %d: %q, %+v", g, key, want)
		}
		if !there {
			absent++
			if !bytes.HasPrefix(key, []byte("prefix-")) || len(key) != 15 {
				t.Errorf("absent key %q does not have the form of the others", key)
			}
		}
		assert.NoError(t, gets.Check(g, want, key, there, []byte(value)))
		assert.Error(t, gets.Check(g, want, key, true, []byte("another length")), "a value that changed passed")
		keys = append(keys, append([]byte(nil), key...))
	}
	if absent < 100 || absent > 200 {
		t.Errorf("%d of 500 Gets ask for absent keys", absent)
	}
	require.NoError(t, gets.Prepare(context.Background(), 300, 10))
	for g := int64(300); g < 310; g++ {
		if key, _ := gets.Key(g, nil); !bytes.Equal(key, keys[g-100]) {
			t.Errorf("Get %d looks up %q, and looked up %q before", g, key, keys[g-100])
		}
	}
}

func TestDrawnGivesUp(t *testing.T) {
	for name, gets := range map[string]Sequence{
		"only deleted keys":        drawing(t, drawnFrom{[]byte("gone")}, fakeDB{}, workload.Keys{Seed: 1, Absent: 0}),
		"a look-up fails":          drawing(t, drawnFrom{[]byte("broken")}, fakeDB{}, workload.Keys{Seed: 1, Absent: 0}),
		"keys too short to change": drawing(t, drawnFrom{{}}, fakeDB{"": "x"}, workload.Keys{Seed: 1, Absent: 1}),
	} {
		assert.Error(t, gets.Prepare(context.Background(), 0, 10), "%s: no error", name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := drawing(t, drawnFrom{[]byte("a")}, fakeDB{"a": "b"}, workload.Keys{Seed: 1, Absent: 0}).Prepare(ctx, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPopularKeysRepeat checks that all Gets of a popular key use the same key, absent or not.
func TestPopularKeysRepeat(t *testing.T) {
	hot := popularity.Popularity{Hotset: popularity.Hotset{Keys: 0.01, Gets: 1}}
	ks := keyspace(t)
	keys := make([][]byte, 100)
	db := fakeDB{}
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "line-%08d", i)
		db[string(keys[i])] = "x"
	}
	list := &listed{}
	for i, key := range keys {
		list.add(key, i)
	}
	var source drawnFrom = keys
	for name, c := range map[string]struct {
		gets Sequence
		hot  int
	}{
		"written": {Written(ks, nil, workload.Keys{Seed: 5, Absent: 0.5, Popularity: hot}), n / 100},
		"drawn":   {drawing(t, source, db, workload.Keys{Seed: 5, Absent: 0.5, Popularity: hot}), 1},
		"listed":  {drawing(t, list, db, workload.Keys{Seed: 5, Absent: 0.5, Popularity: hot}), 1},
	} {
		require.NoError(t, c.gets.Prepare(context.Background(), 0, 4000))
		present, absent := map[string]int{}, map[string]int{}
		for g := range int64(4000) {
			if key, want := c.gets.Key(g, nil); want.Present {
				present[string(key)]++
			} else {
				absent[string(key)]++
			}
		}
		if len(present) != c.hot || len(absent) != c.hot {
			t.Errorf("%s: %d present and %d absent keys are asked for, of a hot set of %d", name, len(present), len(absent), c.hot)
		}
	}
}

// TestPopularLinesAreScattered: the permutation of the lines decides, not their order.
func TestPopularLinesAreScattered(t *testing.T) {
	list := &listed{}
	db := fakeDB{}
	for i := range 1000 {
		key := fmt.Appendf(nil, "%04d", i)
		list.add(key, i)
		db[string(key)] = "x"
	}
	gets := drawing(t, list, db, workload.Keys{Seed: 5, Popularity: popularity.Popularity{Zipf: 1}})
	require.NoError(t, gets.Prepare(context.Background(), 0, 20_000))
	counts := map[string]int{}
	for g := range int64(20_000) {
		key, _ := gets.Key(g, nil)
		counts[string(key)]++
	}
	order := dataset.NewPermutation(1000, 5)
	for rank := range uint64(4) {
		want := 20_000 / 7.485 / float64(rank+1) // the sum of 1/k to 1000
		if got := float64(counts[string(list.key(order.Of(rank)))]); math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("rank %d drawn %v times, want about %.0f", rank, got, want)
		}
	}
}

func TestPopularityNeedsANumberOfKeys(t *testing.T) {
	closed := false
	_, err := newDrawn(uncounted{&closed}, workload.Keys{Popularity: popularity.Popularity{Zipf: 1}}, func() (engine.Lookups, error) { return fakeDB{}, nil })
	if err == nil || !closed {
		t.Errorf("error %v, source closed %v", err, closed)
	}
	_, err = newDrawn(uncounted{&closed}, workload.Keys{}, func() (engine.Lookups, error) { return nil, errors.New("no such database") })
	assert.Error(t, err, "a database that cannot be opened was")
}

// uncounted is a source with an unknown number of keys.
type uncounted struct{ closed *bool }

func (u uncounted) Close() error                                   { *u.closed = true; return nil }
func (uncounted) prepare(context.Context, engine.Lookups) error    { return nil }
func (uncounted) draw(context.Context, []choice) ([][]byte, error) { return nil, nil }
func (uncounted) population() (uint64, error)                      { return 0, errors.New("not known") }
