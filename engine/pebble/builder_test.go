package pebble_test

import (
	"context"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/enginetest"
)

func TestMain(m *testing.M) { os.Exit(enginetest.Main(m, pebblev2.Engine, pebblev1.Engine)) }

// builderSuite checks an engine.Builder.
type builderSuite struct {
	Engine engine.Builder
	// Natural are the configurations under which the database's own tables are compared
	// with NewTable's.
	Natural []naturalTree
	// Hand maps names to the options of trees that are written table by table.
	Hand map[string][]string
	// OpenForWriting opens a database as its owner would.
	OpenForWriting func(dir string) (openTree, error)
}

// naturalTree is a configuration and what its tree must have for the comparison to mean something.
type naturalTree struct {
	Name     string
	Preset   string
	Options  []string
	Levels   []int // that have tables
	TwoLevel bool  // tables have second-level indexes
}

// record is one record of a table, which sets the key.
type record struct {
	Key   []byte
	Seq   uint64
	Value []byte
}

// openTree is a database opened for writing.
type openTree interface {
	// CheckLevels runs the library's check of the order of all records.
	CheckLevels() error
	Set(key, value []byte) error
	Get(key []byte) ([]byte, error)
	// CompactAll leaves everything in one level.
	CompactAll(from, to []byte) error
	Close() error
}

// run runs the suite.
func (s builderSuite) run(t *testing.T) {
	for _, n := range s.Natural {
		t.Run("natural "+n.Name, func(t *testing.T) {
			t.Parallel() // most of it is waiting for trees to settle
			s.natural(t, n)
		})
	}
	for name, options := range s.Hand {
		t.Run("by hand "+name, func(t *testing.T) {
			cfg, err := s.Engine.Configure("", options)
			require.NoError(t, err)
			h := s.handTree(t, cfg)
			t.Run("install", h.installed)
			t.Run("install again", h.reinstall)
			t.Run("interrupted", h.interrupted)
			t.Run("refuse", h.refuse)
			t.Run("unlisted tables", h.unlisted)
		})
	}
	t.Run("replace", s.installOverNatural)
	t.Run("no tables", s.noTables)
	t.Run("many tables", s.manyTables)
	t.Run("no such level", s.noLevel)
}

// records reads a table with v2's reader, which reads the formats of both versions.
func records(path string) (all []record, err error) {
	f, err := vfs.Default.Open(path)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(f)
	if err != nil {
		return nil, err
	}
	r, err := sstable.NewReader(context.Background(), readable, sstable.ReaderOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	iter, err := r.NewIter(sstable.NoTransforms, nil, nil, sstable.AssertNoBlobHandles)
	if err != nil {
		return nil, err
	}
	defer iter.Close()
	for kv := iter.First(); kv != nil; kv = iter.Next() {
		v, _, err := kv.Value(nil)
		if err != nil {
			return nil, err
		}
		k := kv.K.Clone()
		if pebbledb.Trailer(uint64(k.SeqNum())) != uint64(k.Trailer) {
			panic("a record of another kind than set")
		}
		all = append(all, record{Key: k.UserKey, Seq: uint64(k.SeqNum()), Value: append([]byte{}, v...)})
	}
	return all, nil
}
