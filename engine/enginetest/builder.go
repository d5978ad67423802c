package enginetest

import (
	"testing"

	"getio/engine"
)

// BuilderSuite is what the conformance suite of builders needs to know of one.
type BuilderSuite struct {
	Engine engine.Builder
	// Natural are the configurations under which tables that the database
	// itself writes are held against NewTable's.
	Natural []NaturalTree
	// Hand configures the trees that are put together by hand.
	Hand []string
	// Records reads a table with the library's own reader.
	Records func(path string) ([]Record, error)
	// OpenForWriting opens a database as its owner would.
	OpenForWriting func(dir string, cfg engine.Config) (OpenTree, error)
}

// NaturalTree is a configuration, and what the tree that it makes must show
// for the comparison to mean something.
type NaturalTree struct {
	Name     string
	Preset   string
	Options  []string
	Levels   []int // that have tables
	TwoLevel bool  // tables have second-level indexes
}

// Record is one record of a table; it sets the key.
type Record struct {
	Key   []byte
	Seq   uint64
	Value []byte
}

// OpenTree is a database opened for writing.
type OpenTree interface {
	// CheckLevels has the library verify the order of all records.
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
	t.Run("install", s.install)
	t.Run("install again", s.installAgain)
	t.Run("install cut short", s.installCutShort)
	t.Run("replace", s.installOverNatural)
	t.Run("refuse", s.refuse)
	t.Run("many tables", s.manyTables)
}
