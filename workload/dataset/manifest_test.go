package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// validManifest returns a manifest with every field set.
func validManifest() *Manifest {
	return &Manifest{
		Keys: 2e10, Keyspace: KeyspaceStratified, Values: ValuesRandom, ValueSize: 110, Seed: 1<<64 - 1,
		Order: OrderRandom, Batch: 1000,
		Engine: "pebblev2", EngineVersion: "v2.1.7", Preset: "geth", Options: map[string]string{"bloom_bits": "10"},
		DB:       "data/db",
		Progress: &Progress{Durable: 7, Horizon: 9},
		Updates:  []Update{{Writes: 100, Seed: 4}, {Writes: 5}},
		Created:  time.Date(2026, 11, 21, 8, 46, 0, 0, time.UTC),
		Getio:    "v0.1.0",
	}
}

func writeRaw(t testing.TB, dir string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ManifestName), data, 0o644))
}

func TestManifestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	unfinished, complete := validManifest(), validManifest()
	complete.Complete, complete.Progress = true, nil
	complete.Finished = complete.Created.Add(time.Hour)
	for _, m := range []*Manifest{unfinished, complete} {
		require.NoError(t, m.Write(dir))
		got, err := Read(dir)
		require.NoError(t, err)
		if got.Schema != Schema || !reflect.DeepEqual(got, m) {
			t.Errorf("read %+v, want %+v", got, m)
		}
	}
	requireOnlyManifest(t, dir)
}

func requireOnlyManifest(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	if len(entries) != 1 || entries[0].Name() != ManifestName {
		t.Errorf("directory holds %v, want only %s", entries, ManifestName)
	}
}

func TestReadWithoutManifest(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                        "give the directory of a dataset",
		filepath.Join(dir, "nope"): "does not exist",
	} {
		_, err := Read(path)
		if !errors.Is(err, ErrNoManifest) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want ErrNoManifest with %q and %q", err, path, want)
		}
	}
}

func TestReadUnreadableManifest(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ManifestName)
	require.NoError(t, os.Mkdir(path, 0o755))
	if _, err := Read(dir); err == nil || errors.Is(err, ErrNoManifest) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}

// edited returns a valid manifest's JSON with some fields replaced.
func edited(t testing.TB, fields map[string]any) []byte {
	t.Helper()
	m := validManifest()
	m.Schema = Schema
	data, err := json.Marshal(m)
	require.NoError(t, err)
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&all))
	for name, value := range fields {
		all[name] = value
	}
	data, err = json.Marshal(all)
	require.NoError(t, err)
	return data
}

func TestReadRejectsInvalidManifests(t *testing.T) {
	type fields = map[string]any
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty file":        {nil, "invalid JSON"},
		"half a file":       {[]byte(`{"schema":"getio.dataset/1","keys":1`), "invalid JSON"},
		"another kind":      {[]byte(`[1,2]`), "invalid JSON"},
		"more after it":     {append(edited(t, nil), "{}"...), "invalid JSON"},
		"large file":        {bytes.Repeat([]byte(" "), maxManifestBytes+1), "larger than 1048576 bytes"},
		"no schema":         {[]byte(`{}`), `schema ""`},
		"newer schema":      {edited(t, fields{"schema": "getio.dataset/2", "keys": "many"}), `schema "getio.dataset/2"`},
		"wrong type":        {edited(t, fields{"keys": -1}), "a field has an invalid value"},
		"wrong time":        {edited(t, fields{"created": "yesterday"}), "a field has an invalid value"},
		"no keys":           {edited(t, fields{"keys": 0}), "at least one key"},
		"unknown keyspace":  {edited(t, fields{"keyspace": "sha1"}), `unknown key space "sha1"`},
		"too many keys":     {edited(t, fields{"keyspace": "keccak", "keys": uint64(1<<63 + 1)}), "at most 2^63 keys"},
		"unknown values":    {edited(t, fields{"values": "zero"}), `unknown values "zero"`},
		"no value size":     {edited(t, fields{"value_size": 0}), "0 bytes is out of range"},
		"unknown order":     {edited(t, fields{"order": "reverse"}), `unknown order "reverse"`},
		"negative batch":    {edited(t, fields{"batch": -1}), "batch of -1"},
		"no engine":         {edited(t, fields{"engine": ""}), "no engine"},
		"database outside":  {edited(t, fields{"db": "../other"}), `"../other" is not below`},
		"absolute database": {edited(t, fields{"db": "/var/db"}), `"/var/db" is not below`},
		"both":              {edited(t, fields{"complete": true}), "complete but still in progress"},
		"finished":          {edited(t, fields{"finished": "2026-11-21T08:46:00Z"}), "finished but not complete"},
		"durable":           {edited(t, fields{"progress": Progress{Durable: 2, Horizon: 1}}), "progress of 2 durable keys"},
		"horizon":           {edited(t, fields{"progress": Progress{Horizon: 2e10 + 1}}), "horizon of 20000000001 is impossible"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeRaw(t, dir, c.data)
			_, err := Read(dir)
			require.ErrorContains(t, err, c.want)
			if !strings.Contains(err.Error(), filepath.Join(dir, ManifestName)) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q is not one line that names the file", err)
			}
			assert.False(t, errors.Is(err, ErrNoManifest), "error %v wraps ErrNoManifest", err)
		})
	}
}

func TestReadIgnoresUnknownFields(t *testing.T) {
	dir := t.TempDir()
	writeRaw(t, dir, edited(t, map[string]any{"colour": "green", "rings": []int{1}}))
	m, err := Read(dir)
	require.NoError(t, err)
	if m.Keys != 2e10 || m.Seed != 1<<64-1 {
		t.Errorf("read %+v", m)
	}
}

func TestWriteRejectsWhatReadRejects(t *testing.T) {
	for want, spoil := range map[string]func(m *Manifest){
		"at least one key": func(m *Manifest) { m.Keys = 0 },
		"no engine":        func(m *Manifest) { m.Engine = "" },
		"larger than":      func(m *Manifest) { m.Options["note"] = strings.Repeat("x", maxManifestBytes) },
		"cannot encode":    func(m *Manifest) { m.Created = time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		dir := t.TempDir()
		m := validManifest()
		require.NoError(t, m.Write(dir))
		spoil(m)
		assert.ErrorContains(t, m.Write(dir), want)
		if got, err := Read(dir); err != nil || got.Keys != 2e10 {
			t.Errorf("after a rejected write: %+v, %v", got, err)
		}
		requireOnlyManifest(t, dir)
	}
}

func TestFailedWriteLeavesNoFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nope")
	if err := validManifest().Write(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v for a missing directory", err)
	}
	// A directory in the file's place makes the rename fail.
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ManifestName, "x"), 0o755))
	assert.ErrorContains(t, validManifest().Write(dir), dir)
	requireOnlyManifest(t, dir)
}

func TestDBDir(t *testing.T) {
	for db, want := range map[string]string{"": "set/db", "db": "set/db", ".": "set", "a/b": "set/a/b"} {
		m := &Manifest{DB: db}
		assert.Equal(t, want, filepath.ToSlash(m.DBDir("set")), "DB %q", db)
	}
}

func TestManifestConstructors(t *testing.T) {
	m := validManifest()
	m.Keys = 1000
	ks, err := m.NewKeyspace()
	require.NoError(t, err)
	if want := mustKeyspace(t, m.Keyspace, m.Keys, m.Seed); ks.Len() != 1000 || keyOf(ks, 3) != keyOf(want, 3) {
		t.Error("the key space does not match kind, keys and seed")
	}
	order, err := m.NewOrder()
	require.NoError(t, err)
	want, err := NewOrder(m.Order, ks, m.Seed)
	require.NoError(t, err)
	if got, want := indexes(t, order, 0, 1000), indexes(t, want, 0, 1000); !reflect.DeepEqual(got, want) {
		t.Error("the order does not match kind, keys and seed")
	}
	values, err := m.NewValues()
	require.NoError(t, err)
	loaded := mustValues(t, m.Values, m.ValueSize, m.Seed)
	for round := range uint64(4) {
		if got, want := values.Check(3, loaded.Updated(3, round, nil)), round <= 2; got != want {
			t.Errorf("after 2 rounds, value of round %d accepted: %v", round, got)
		}
	}
	m.Keyspace, m.Values = "", ""
	_, err = m.NewOrder()
	assert.Error(t, err, "got an order over an unknown key space")
	_, err = m.NewValues()
	assert.Error(t, err, "got values of an unknown kind")
}

func TestUpdateKey(t *testing.T) {
	u := Update{Writes: 100_000, Seed: 9}
	counts := make([]int, 100)
	for n := range u.Writes {
		key := u.Key(n, 100)
		require.Equal(t, Bounded(Draw(9, n), 100), key, "write %d", n)
		counts[key]++
	}
	requireUniform(t, "updated keys", counts)
}

// FuzzRead checks that Read never panics and that a manifest it accepts is usable and round-trips.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add(edited(f, nil))
	f.Add(edited(f, map[string]any{"progress": nil, "complete": true, "keyspace": "keccak", "values": "pool32", "order": "sequential"}))
	f.Add(edited(f, map[string]any{"created": "2026-11-21T08:46:00.5+23:59", "options": map[string]string{"\u2028<": "\x00"}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		writeRaw(t, dir, data)
		first, err := Read(dir)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n", "error of several lines: %q", err)
			return
		}
		requireOpens(t, first)
		require.NoError(t, first.Write(dir), "Write rejects a manifest that Read accepted")
		second, err := Read(dir)
		require.NoError(t, err, "Read rejects a manifest that Write wrote")
		if a, b := encode(t, first), encode(t, second); !bytes.Equal(a, b) {
			t.Fatalf("%s became %s", a, b)
		}
	})
}

func requireOpens(t *testing.T, m *Manifest) {
	t.Helper()
	_, err := m.NewOrder()
	assert.NoError(t, err, "no order")
	if m.ValueSize > 4096 {
		return // a pool of large values would slow fuzzing down
	}
	_, err = m.NewValues()
	assert.NoError(t, err, "no values")
}

func encode(t *testing.T, m *Manifest) []byte {
	t.Helper()
	data, err := json.Marshal(m)
	require.NoError(t, err)
	return data
}
