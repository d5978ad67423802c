package database

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/workload/dataset"
)

// tables is a store with a shape.
type tables struct {
	at
	shape *lsm.Shape
	log   int64
}

func (s tables) Info() engine.Info { return engine.Info{Dir: s.dir, WALKeys: s.log} }
func (s tables) Shape() *lsm.Shape { return s.shape }

// TestIdentity: copies have one identity, and whatever differs in tables, tree, log or manifest shows.
func TestIdentity(t *testing.T) {
	type change struct {
		shape    func(*lsm.Shape)
		file     func(path string) error
		log      int64
		manifest *dataset.Manifest
	}
	identity := func(c change) (string, error) {
		dir := t.TempDir()
		shape := &lsm.Shape{}
		for n := range uint64(3) {
			name, content := filepath.Join(dir, fmt.Sprintf("%06d.sst", n)), make([]byte, 5000)
			content[4999] = byte(n)
			require.NoError(t, os.WriteFile(name, content, 0o666))
			shape.Levels = append(shape.Levels, lsm.Level{Level: int(n), TableList: []lsm.Table{{File: n}}})
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "000009.sst"), nil, 0o666)) // belongs to no level
		if c.shape != nil {
			c.shape(shape)
		}
		if c.file != nil {
			require.NoError(t, c.file(filepath.Join(dir, "000001.sst")))
		}
		d := &Database{Manifest: c.manifest, Store: tables{at{dir: dir}, shape, c.log}}
		return d.Identity()
	}
	seen := map[string]string{}
	for name, c := range map[string]change{
		"unchanged":    {},
		"level":        {shape: func(s *lsm.Shape) { s.Levels[1].Level = 6 }},
		"sublevel":     {shape: func(s *lsm.Shape) { s.Levels[0].TableList[0].Sublevel = 1 }},
		"fewer tables": {shape: func(s *lsm.Shape) { s.Levels = s.Levels[:2] }},
		"size":         {file: func(path string) error { return os.Truncate(path, 6000) }},
		"last bytes": {file: func(path string) error {
			content, err := os.ReadFile(path)
			content[4000]++
			return cmp.Or(err, os.WriteFile(path, content, 0o666))
		}},
		"log":              {log: 1},
		"manifest":         {manifest: &dataset.Manifest{Keys: 1}},
		"another manifest": {manifest: &dataset.Manifest{Keys: 2}},
	} {
		id, err := identity(c)
		require.NoError(t, err, name)
		assert.Len(t, id, 64)
		assert.Empty(t, seen[id], "%s and %s", name, seen[id])
		seen[id] = name
		again, err := identity(c)
		require.NoError(t, err, name)
		assert.Equal(t, id, again, "a copy: %s", name)
	}
	_, err := identity(change{file: os.Remove})
	assert.ErrorContains(t, err, "table 1 of ")
}
