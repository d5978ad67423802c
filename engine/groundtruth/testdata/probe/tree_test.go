// Package probe compares what the engines count from outside with what the patched libraries
// count inside. It only builds with patched libraries.
package probe

import (
	"fmt"
	"testing"

	"getio/engine"
	"getio/engine/lsm"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"

	libraryv1 "github.com/cockroachdb/pebble"
	libraryv2 "github.com/cockroachdb/pebble/v2"
)

// tree is a database to load and read. All are small, with many tables and small index
// blocks, so that Gets access every component in many ways.
type tree struct {
	engine      engine.Engine
	format      string // an option; "" is the preset's format
	oneKind     bool   // every table's index has a single level
	sharesLoads bool   // some Gets must share a load
}

var (
	newestV1 = fmt.Sprintf("format=%d", libraryv1.FormatNewest)
	newestV2 = fmt.Sprintf("format=%d", libraryv2.FormatNewest)
)

// The test of package groundtruth runs each of these in a process of its own, because the
// libraries' counters are global.

func TestV1(t *testing.T)            { tree{engine: pebblev1.Engine}.compare(t) }
func TestV1Newest(t *testing.T)      { tree{engine: pebblev1.Engine, format: newestV1}.compare(t) }
func TestV1SingleLevel(t *testing.T) { tree{engine: pebblev1.Engine, oneKind: true}.compare(t) }
func TestV2Row(t *testing.T)         { tree{engine: pebblev2.Engine, sharesLoads: true}.compare(t) }
func TestV2Columnar(t *testing.T)    { tree{engine: pebblev2.Engine, format: newestV2}.compare(t) }
func TestV2ColumnarSingleLevel(t *testing.T) {
	tree{engine: pebblev2.Engine, format: newestV2, oneKind: true}.compare(t)
}

// size returns the tree's options, its keys and the Gets of a window. The split of index from
// data accesses is off by a number of data blocks. Data blocks of the usual size keep it low:
// the more records a block has, the more seldom a Get steps into a second one. Index blocks
// are so small that most tables have a second level, because the same number weighs more where
// there are few index accesses.
func (tr tree) size() (options []string, keys uint64, gets int) {
	options = []string{"target_file_size=128KiB", "lbase_max_bytes=64KiB", "memtable_size=1MiB", "l0_compaction_threshold=2"}
	if tr.format != "" {
		options = append(options, tr.format)
	}
	if tr.oneKind {
		return append(options, "index_block_size=1GiB"), 30_000, 4_000
	}
	return append(options, "index_block_size=256"), 60_000, 8_000
}

// compare loads the tree, makes Gets of many kinds, and compares the counts of both sides.
func (tr tree) compare(t *testing.T) {
	options, keys, gets := tr.size()
	cfg, err := tr.engine.Configure("", options)
	check(t, err)
	var p *prober
	for range loads {
		p = &prober{T: t, engine: tr.engine, dir: t.TempDir(), cfg: cfg, dataset: newDataset(t, keys), inside: insideOf(tr.engine)}
		p.load()
		store := p.store(cfg)
		err = tr.check(t, store.Shape())
		check(t, store.Close())
		if err == nil {
			break
		}
		t.Log("loaded again: ", err)
	}
	check(t, err)
	compare(t, p.all(gets), tr.sharesLoads)
}

// loads is the maximum number of attempts to load a tree with all kinds of levels and tables. Whether a
// table is small depends on the timing of compactions.
const loads = 5

// check returns an error unless the tree has all kinds of levels and tables that the comparison covers.
func (tr tree) check(t *testing.T, shape *lsm.Shape) error {
	var tables, twoLevel int
	for _, l := range shape.Levels {
		t.Logf("L%d: %d tables in %d sublevels", l.Level, l.Tables, l.Sublevels)
		for _, table := range l.TableList {
			tables++
			if table.IndexBlocks > 0 {
				twoLevel++
			}
			if table.FilterBytes == 0 {
				return fmt.Errorf("L%d: table %d has no filter", l.Level, table.File)
			}
		}
	}
	switch {
	case len(shape.Levels) < 3 || shape.Levels[0].Level != 0:
		return fmt.Errorf("%d levels from L%d on: want L0 and at least two more", len(shape.Levels), shape.Levels[0].Level)
	case tr.oneKind && twoLevel != 0:
		return fmt.Errorf("%d of %d tables have a two-level index, want none", twoLevel, tables)
	case !tr.oneKind && (twoLevel == 0 || twoLevel == tables):
		return fmt.Errorf("%d of %d tables have a two-level index, want some", twoLevel, tables)
	}
	return nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
