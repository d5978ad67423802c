package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"getio/engine"
)

// refuse checks that impossible trees are refused in one line and that the database in
// the directory stays.
func (h *handTree) refuse(t *testing.T) {
	h = h.copied(t)
	h.install(t)
	before, contents := Fingerprint(t, h.dir), hashes(t, h.dir)
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
		requireError(t, name, err, c.word)
		if Fingerprint(t, h.dir) != before {
			t.Errorf("%s: the refused call changed something", name)
			before = Fingerprint(t, h.dir)
		}
	}
	h.refuseOpen(t)
	h.refuseOther(t)
	if hashes(t, h.dir) != contents {
		t.Error("a refused call changed something")
	}
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
	check(t, err)
	requireError(t, "open here", h.Engine.Install(h.dir, h.cfg, h.tables), "open")
	check(t, store.Close())

	empty := filepath.Join(t.TempDir(), "db")
	check(t, h.Engine.Install(empty, h.cfg, nil))
	defer holdElsewhere(t, empty)()
	requireError(t, "open elsewhere", h.Engine.Install(empty, h.cfg, nil), "locked")
}

// refuseOther checks that a directory with files of another library is refused.
func (h *handTree) refuseOther(t *testing.T) {
	leveldb := filepath.Join(h.dir, "000005.ldb")
	check(t, os.WriteFile(leveldb, nil, 0o644))
	defer os.Remove(leveldb)
	requireError(t, "LevelDB", h.Engine.Install(h.dir, h.cfg, h.tables), "000005.ldb")
}

// RunRefused checks that no table can be built with any of the options, each mapped to a
// word of the reason.
func (s BuilderSuite) RunRefused(t *testing.T, preset string, refused map[string]string) {
	for option, word := range refused {
		cfg, err := s.Engine.Configure(preset, []string{option})
		check(t, err)
		_, formErr := s.Engine.TableOptions(cfg)
		path := filepath.Join(t.TempDir(), "refused.sst")
		_, tableErr := s.Engine.NewTable(path, cfg, 6)
		for _, err := range []error{formErr, tableErr, s.Engine.Install(t.TempDir(), cfg, nil)} {
			requireError(t, option, err, word)
			if err != nil && !strings.Contains(err.Error(), "--option ") {
				t.Errorf("%s: no way out: %v", option, err)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a table was begun", option)
		}
	}
}
