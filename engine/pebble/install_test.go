package pebble_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/internal/enginetest"
)

// installed checks that the tree can be read, and written by the library.
func (h *handTree) installed(t *testing.T) {
	h = h.copied(t)
	h.install(t)
	h.verify(t)

	db, err := h.OpenForWriting(h.dir)
	require.NoError(t, err)
	require.NoError(t, db.CheckLevels())
	for i := 0; i < handKeys+500; i += 5 {
		key, value := handKey(i), []byte("written on")
		require.NoError(t, db.Set(key, value))
		h.newest[string(key)] = value
	}
	require.NoError(t, db.CheckLevels())
	require.NoError(t, db.CompactAll([]byte("a"), []byte("z")))
	require.NoError(t, db.CheckLevels())
	for key, want := range h.newest {
		got, err := db.Get([]byte(key))
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", key)
	}
	require.NoError(t, db.Close())

	if levels := h.shape(t, h.dir, h.cfg).Levels; len(levels) != 1 || levels[0].Level != 6 {
		t.Errorf("after a compaction of everything: %+v", levels)
	}
	h.verifyValues(t)
}

// reinstall checks that each call replaces the tree of the one before.
func (h *handTree) reinstall(t *testing.T) {
	h = h.copied(t)
	h.install(t)
	before := enginetest.Hashes(t, h.dir)
	all := h.tables
	h.tables = all[:8] // L6
	h.install(t)
	if levels := h.shape(t, h.dir, h.cfg).Levels; len(levels) != 1 || levels[0].Level != 6 || levels[0].Tables != 8 {
		t.Errorf("with the tables of L6 alone: %+v", levels)
	}
	h.tables = all
	h.install(t)
	h.verify(t)
	assert.Equal(t, before, enginetest.Hashes(t, h.dir))
}

// unlisted checks that tables not in the list stay until the library opens the tree for writing.
func (h *handTree) unlisted(t *testing.T) {
	h = h.copied(t)
	all := len(h.tables)
	h.tables = h.tables[:8] // L6
	h.install(t)
	assert.Equal(t, all, countTables(t, h.dir))
	h.checkLevels(t, h.dir)
	assert.Equal(t, len(h.tables), countTables(t, h.dir))
}

func countTables(t *testing.T, dir string) int {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	return len(tables)
}

// interrupted checks that a call that fails at any of its files leaves no database, and
// that the next call completes it.
func (h *handTree) interrupted(t *testing.T) {
	h = h.copied(t)
	h.install(t)
	for _, name := range databaseFiles(t, h.dir) {
		obstacle := filepath.Join(h.dir, name)
		require.NoError(t, os.Remove(obstacle))
		require.NoError(t, os.MkdirAll(filepath.Join(obstacle, "full"), 0o755))
		assert.Error(t, h.Engine.Install(h.dir, h.cfg, h.tables), "%s could not be written, and that was no error", name)
		require.NoError(t, os.RemoveAll(obstacle))
		if found, err := h.Engine.Recognise(h.dir); err == nil {
			t.Errorf("without %s, it passes for a database of format %d", name, found.Format)
		}
		h.install(t)
		h.verify(t)
	}
}

// databaseFiles lists the files that are not tables.
func databaseFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".sst" && e.Name() != "LOCK" {
			names = append(names, e.Name())
		}
	}
	require.GreaterOrEqual(t, len(names), 3, "a database of %v", names)
	return names
}

// installOverNatural replaces a database that the library made by its own tables under
// other numbers.
func (s builderSuite) installOverNatural(t *testing.T) {
	n := s.Natural[0]
	cfg, err := s.Engine.Configure(n.Preset, n.Options)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "db")
	loadMixed(t, s.Engine, dir, cfg, 5_000)
	natural, options := s.shape(t, dir, cfg), newestOptions(t, dir)
	var tables []engine.BuiltTable
	for _, l := range natural.Levels {
		for _, table := range l.TableList {
			file := table.File + 1_000
			require.NoError(t, os.Link(s.Engine.TablePath(dir, table.File), s.Engine.TablePath(dir, file)))
			tables = append(tables, s.builtTable(t, dir, file, l.Level))
		}
	}
	require.NoError(t, s.Engine.Install(dir, cfg, tables))
	installed := s.shape(t, dir, cfg)
	require.Len(t, installed.Levels, len(natural.Levels))
	for i, want := range natural.Levels {
		got := installed.Levels[i]
		got.TableList, want.TableList = nil, nil
		if got.Level != want.Level || got.Tables != want.Tables || got.Records != want.Records || got.Bytes != want.Bytes {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	assert.Equal(t, options, newestOptions(t, dir))
	s.checkLevels(t, dir)
}

// shape returns the shape of the tree in dir.
func (s builderSuite) shape(t *testing.T, dir string, cfg engine.Config) *lsm.Shape {
	t.Helper()
	store, err := s.Engine.OpenStore(context.Background(), dir, cfg)
	require.NoError(t, err)
	defer store.Close()
	return store.Shape()
}

// checkLevels opens the tree as its owner would and verifies the order of its records.
func (s builderSuite) checkLevels(t *testing.T, dir string) {
	t.Helper()
	db, err := s.OpenForWriting(dir)
	require.NoError(t, err)
	require.NoError(t, db.CheckLevels())
	require.NoError(t, db.Close())
}

func newestOptions(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	require.NoError(t, err)
	text, err := os.ReadFile(slices.Max(names))
	require.NoError(t, err)
	return string(text)
}

// builtTable describes a table from its records.
func (s builderSuite) builtTable(t *testing.T, dir string, file uint64, level int) engine.BuiltTable {
	t.Helper()
	path := s.Engine.TablePath(dir, file)
	all, err := records(path)
	require.NoError(t, err)
	first, last := all[0], all[len(all)-1]
	built := engine.BuiltTable{
		Level: level, File: file, Size: size(t, path),
		Smallest: engine.BuiltKey{Key: first.Key, Seq: first.Seq}, Largest: engine.BuiltKey{Key: last.Key, Seq: last.Seq},
		SmallestSeq: first.Seq, LargestSeq: first.Seq,
	}
	for _, r := range all {
		built.SmallestSeq, built.LargestSeq = min(built.SmallestSeq, r.Seq), max(built.LargestSeq, r.Seq)
	}
	return built
}

// noTables installs an empty database in a directory that does not exist.
func (s builderSuite) noTables(t *testing.T) {
	cfg, err := s.Engine.Configure("", nil)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "not", "there")
	require.NoError(t, s.Engine.Install(dir, cfg, nil))
	_, err = s.Engine.Recognise(dir)
	require.NoError(t, err)
	s.checkLevels(t, dir)
}

// noLevel checks that NewTable refuses levels that no tree has.
func (s builderSuite) noLevel(t *testing.T) {
	cfg, err := s.Engine.Configure("", nil)
	require.NoError(t, err)
	for _, level := range []int{-1, 7} {
		path := filepath.Join(t.TempDir(), "table.sst")
		_, err := s.Engine.NewTable(path, cfg, level)
		enginetest.RequireError(t, "level", err, "level")
		assert.NoFileExists(t, path, "a table was begun")
	}
}

// manyTables checks that tables are not opened: here they are empty.
func (s builderSuite) manyTables(t *testing.T) {
	dir := t.TempDir()
	cfg, tables := s.emptyTables(t, dir, 1_000)
	require.NoError(t, s.Engine.Install(dir, cfg, tables))
	_, err := s.Engine.Recognise(dir)
	require.NoError(t, err)
}

// benchmark installs as many tables as the largest published database has.
func (s builderSuite) benchmark(b *testing.B) {
	dir := b.TempDir()
	cfg, tables := s.emptyTables(b, dir, 35_000)
	for b.Loop() {
		require.NoError(b, s.Engine.Install(dir, cfg, tables))
	}
}

// emptyTables writes files of one byte and describes them as tables of L6.
func (s builderSuite) emptyTables(t testing.TB, dir string, n int) (engine.Config, []engine.BuiltTable) {
	t.Helper()
	cfg, err := s.Engine.Configure("", nil)
	require.NoError(t, err)
	tables := make([]engine.BuiltTable, n)
	for i := range tables {
		seq := uint64(i)
		tables[i] = engine.BuiltTable{
			Level: 6, File: s.Engine.FirstTable() + seq, Size: 1,
			Smallest:    engine.BuiltKey{Key: handKey(10 * i), Seq: seq},
			Largest:     engine.BuiltKey{Key: handKey(10*i + 9), Seq: seq},
			SmallestSeq: seq, LargestSeq: seq,
		}
		require.NoError(t, os.WriteFile(s.Engine.TablePath(dir, tables[i].File), []byte{0}, 0o644))
	}
	return cfg, tables
}

// refuse checks that impossible trees are refused in one line and that the database in
// the directory stays.
func (h *handTree) refuse(t *testing.T) {
	h = h.copied(t)
	h.install(t)
	before, contents := enginetest.Fingerprint(t, h.dir), enginetest.Hashes(t, h.dir)
	const inL6, inL0 = 1, 14 // places in the list
	first := h.Engine.FirstTable()
	for name, c := range map[string]struct {
		change func(tables []engine.BuiltTable) []engine.BuiltTable
		word   string
	}{
		"overlap":          {changed(inL6, func(b *engine.BuiltTable) { b.Smallest.Key = handKey(999) }), "overlap"},
		"same key":         {changed(inL6, func(b *engine.BuiltTable) { b.Smallest = engine.BuiltKey{Key: handKey(999)} }), "overlap"},
		"in another level": {changed(inL0, func(b *engine.BuiltTable) { b.Level = 5 }), "overlap"},
		"not there":        {changed(inL6, func(b *engine.BuiltTable) { b.File += 1_000 }), "does not exist"},
		"out of order":     {changed(inL6, func(b *engine.BuiltTable) { b.Smallest, b.Largest = b.Largest, b.Smallest }), "above its largest"},
		"out of order #": {changed(inL0, func(b *engine.BuiltTable) {
			b.Largest.Key, b.Smallest.Seq, b.Largest.Seq = b.Smallest.Key, b.SmallestSeq, b.SmallestSeq+1
		}), "above its largest"},
		"size":           {changed(inL6, func(b *engine.BuiltTable) { b.Size-- }), "bytes"},
		"number":         {changed(inL6, func(b *engine.BuiltTable) { b.File = first - 1 }), "number"},
		"twice":          {func(b []engine.BuiltTable) []engine.BuiltTable { return append(b, b[inL0]) }, "number"},
		"level":          {changed(inL6, func(b *engine.BuiltTable) { b.Level = 7 }), "level"},
		"no level":       {changed(inL6, func(b *engine.BuiltTable) { b.Level = -1 }), "level"},
		"sequence":       {changed(inL0, func(b *engine.BuiltTable) { b.LargestSeq-- }), "sequence"},
		"sequence too":   {changed(inL0, func(b *engine.BuiltTable) { b.SmallestSeq++ }), "sequence"},
		"large sequence": {changed(inL0, func(b *engine.BuiltTable) { b.LargestSeq = 1 << 56 }), "sequence"},
	} {
		err := h.Engine.Install(h.dir, h.cfg, c.change(append([]engine.BuiltTable{}, h.tables...)))
		enginetest.RequireError(t, name, err, c.word)
		if enginetest.Fingerprint(t, h.dir) != before {
			t.Errorf("%s: the refused call changed something", name)
			before = enginetest.Fingerprint(t, h.dir)
		}
	}
	h.refuseOpen(t)
	h.refuseOther(t)
	assert.Equal(t, contents, enginetest.Hashes(t, h.dir), "a refused call changed something")
	h.verify(t)
}

func changed(i int, change func(*engine.BuiltTable)) func([]engine.BuiltTable) []engine.BuiltTable {
	return func(tables []engine.BuiltTable) []engine.BuiltTable {
		change(&tables[i])
		return tables
	}
}

// refuseOpen checks that an open database is not replaced.
func (h *handTree) refuseOpen(t *testing.T) {
	store, err := h.Engine.OpenStore(context.Background(), h.dir, h.cfg)
	require.NoError(t, err)
	enginetest.RequireError(t, "open here", h.Engine.Install(h.dir, h.cfg, h.tables), "open")
	require.NoError(t, store.Close())

	empty := filepath.Join(t.TempDir(), "db")
	require.NoError(t, h.Engine.Install(empty, h.cfg, nil))
	defer enginetest.HoldElsewhere(t, empty)()
	enginetest.RequireError(t, "open elsewhere", h.Engine.Install(empty, h.cfg, nil), "locked")
}

// refuseOther checks that a directory with files of another library is refused.
func (h *handTree) refuseOther(t *testing.T) {
	leveldb := filepath.Join(h.dir, "000005.ldb")
	require.NoError(t, os.WriteFile(leveldb, nil, 0o644))
	defer os.Remove(leveldb)
	enginetest.RequireError(t, "LevelDB", h.Engine.Install(h.dir, h.cfg, h.tables), "000005.ldb")
}

// runRefused checks that no table can be built with any of the options, each mapped to a
// word of the reason.
func (s builderSuite) runRefused(t *testing.T, preset string, refused map[string]string) {
	for option, word := range refused {
		cfg, err := s.Engine.Configure(preset, []string{option})
		require.NoError(t, err)
		_, formErr := s.Engine.TableOptions(cfg)
		path := filepath.Join(t.TempDir(), "refused.sst")
		_, tableErr := s.Engine.NewTable(path, cfg, 6)
		for _, err := range []error{formErr, tableErr, s.Engine.Install(t.TempDir(), cfg, nil)} {
			enginetest.RequireError(t, option, err, word)
			if err != nil && !strings.Contains(err.Error(), "--option ") {
				t.Errorf("%s: no way out: %v", option, err)
			}
		}
		assert.NoFileExists(t, path, "%s: a table was begun", option)
	}
}
