package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
)

// BuilderSuite describes an engine.Builder to its conformance suite.
type BuilderSuite struct {
	Engine engine.Builder
	// Natural are the configurations under which the database's own tables are compared
	// with NewTable's.
	Natural []NaturalTree
	// Hand maps names to the options of trees that are written table by table.
	Hand map[string][]string
	// Records reads a table with a reader of the library.
	Records func(path string) ([]Record, error)
	// OpenForWriting opens a database as its owner would.
	OpenForWriting func(dir string, cfg engine.Config) (OpenTree, error)
}

// NaturalTree is a configuration and what its tree must have for the comparison to mean something.
type NaturalTree struct {
	Name     string
	Preset   string
	Options  []string
	Levels   []int // that have tables
	TwoLevel bool  // tables have second-level indexes
}

// Record is one record of a table, which sets the key.
type Record struct {
	Key   []byte
	Seq   uint64
	Value []byte
}

// OpenTree is a database opened for writing.
type OpenTree interface {
	// CheckLevels runs the library's check of the order of all records.
	CheckLevels() error
	Set(key, value []byte) error
	Get(key []byte) ([]byte, error)
	// CompactAll leaves everything in one level.
	CompactAll(from, to []byte) error
	Close() error
}

// Run runs the suite.
func (s BuilderSuite) Run(t *testing.T) {
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
