package engines_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/internal/enginetest"
)

// suite describes an engine to the conformance suite, which every engine passes.
type suite struct {
	Engine engine.Engine
	// Small are options under which some thousand keys make a tree of several levels,
	// with second-level indexes if the engine has them.
	Small []string
	// TableFiles is the pattern of table file names, such as *.sst.
	TableFiles string
	// OneLevelIndex means that tables have no second-level indexes.
	OneLevelIndex bool
	// OneShard means that the block cache cannot be divided.
	OneShard bool
	// NoProperties means that tables state neither how many records they hold nor any
	// other property.
	NoProperties bool
	// Variants maps names to further options to run the whole suite with.
	Variants map[string][]string
	// IndexesAtOpen means that opening a table reads second-level index blocks, so that Gets read
	// fewer of them.
	IndexesAtOpen bool
	// OutsideCache lists, by variant, the components that open tables hold themselves,
	// so that the block cache is not asked for them.
	OutsideCache map[string][]readpath.Component
	// Refused maps overrides that no configuration can have to a part of the error.
	Refused map[string]string
}

// run runs the suite.
func (s suite) run(t *testing.T) {
	s.runVariant(t, "default", nil)
	for name, options := range s.Variants {
		s.runVariant(t, name, options)
	}
	t.Run("configure", s.configure)
	t.Run("recognise", s.recognise)
}

func (s suite) runVariant(t *testing.T, name string, options []string) {
	t.Run(name, func(t *testing.T) {
		db := s.load(t, slices.Concat(s.Small, options))
		db.outsideCache = s.OutsideCache[name]
		t.Run("on device", db.onDevice) // alone, because it counts what the process reads
		t.Parallel()
		for _, test := range []struct {
			name string
			run  func(*testing.T)
		}{
			{"get", db.get},
			{"shape", db.shape},
			{"counts", db.counts},
			{"uncached", db.uncached},
			{"traced accesses", db.tracedAccesses},
			{"last-level filters", db.lastLevelFilters},
			{"no filters", db.noFilters},
			{"scan", db.scan},
			{"scan from", db.scanFrom},
			{"multiget", db.multiget},
			{"sampler", db.sampler},
			{"cache", db.cacheSizes},
			{"not modified", db.notModified},
			{"locked", db.locked},
			{"updating", db.updating},
			{"resume", db.resume},
			{"corrupt", db.corrupt},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel() // much of it is waiting for trees to settle
				test.run(t)
			})
		}
	})
}

// recognise checks paths that hold no database of any engine.
func (s suite) recognise(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	for name, path := range map[string]string{
		"an empty directory": t.TempDir(), "a missing directory": filepath.Join(t.TempDir(), "none"), "a file": file,
	} {
		_, err := s.Engine.Recognise(path)
		enginetest.Directory{Error: "no database", None: true}.Require(t, name, err)
	}
}
