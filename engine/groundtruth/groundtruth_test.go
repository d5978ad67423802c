package groundtruth

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	// The program uses these. The test imports them so that the go command does not reuse
	// a cached result when they change.
	_ "getio/dataset"
	_ "getio/engine/pebble/v1"
	_ "getio/engine/pebble/v2"
)

// tree is a database to load and read. All are small, with many tables and small index
// blocks, so that Gets access every component in many ways.
type tree struct {
	name    string
	engine  string
	newest  bool // the library's newest format instead of the preset's
	oneKind bool // every table's index has a single level
}

var trees = []tree{
	{name: "v1", engine: "pebblev1"},
	{name: "v1, newest format", engine: "pebblev1", newest: true},
	{name: "v1, single-level indexes", engine: "pebblev1", oneKind: true},
	{name: "v2, row tables", engine: "pebblev2"},
	{name: "v2, columnar tables", engine: "pebblev2", newest: true},
	{name: "v2, columnar tables with single-level indexes", engine: "pebblev2", newest: true, oneKind: true},
}

// arguments returns the program's arguments for the tree. The split of index from data
// accesses is off by a number of data blocks. Data blocks of the usual size keep it low: the
// more records a block has, the more seldom a Get steps into a second one. Index blocks are
// so small that most tables have a second level, because the same number weighs more where
// there are few index accesses.
func (tr tree) arguments(dir string) []string {
	args := []string{"-engine", tr.engine, "-dir", dir, fmt.Sprintf("-newest=%t", tr.newest),
		"-option", "target_file_size=128KiB", "-option", "lbase_max_bytes=64KiB",
		"-option", "memtable_size=1MiB", "-option", "l0_compaction_threshold=2"}
	if tr.oneKind {
		return append(args, "-option", "index_block_size=1GiB", "-keys", "30000", "-gets", "4000")
	}
	return append(args, "-option", "index_block_size=256", "-keys", "60000", "-gets", "8000")
}

// TestCountsAreTheLibrarys compares what the engines count from outside with what patched
// libraries count inside.
func TestCountsAreTheLibrarys(t *testing.T) {
	if testing.Short() {
		t.Skip("builds patched copies of Pebble and loads six databases: not in -short")
	}
	program := buildProbe(t)
	reports := make([]*Report, len(trees))
	t.Run("trees", func(t *testing.T) {
		for i, tr := range trees {
			t.Run(tr.name, func(t *testing.T) {
				t.Parallel()
				reports[i] = run(t, program, tr)
			})
		}
	})
	byEngine := map[string]*differences{}
	for i, r := range reports {
		if r == nil {
			continue
		}
		d := byEngine[r.Engine]
		if d == nil {
			d = &differences{}
			byEngine[r.Engine] = d
		}
		t.Run("compare/"+trees[i].name, func(t *testing.T) {
			checkTree(t, trees[i], r)
			d.compare(t, r)
		})
	}
	for _, engine := range []string{"pebblev1", "pebblev2"} {
		if d := byEngine[engine]; d != nil {
			t.Logf("%s: largest differences between outside and inside\n%s", engine, d)
		}
	}
}

// run runs the program on a tree.
func run(t *testing.T, program string, tr tree) *Report {
	out, err := exec.Command(program, tr.arguments(t.TempDir())...).Output()
	if err != nil {
		t.Fatalf("%s: %v", tr.name, failure(err))
	}
	r := &Report{}
	if err := json.Unmarshal(out, r); err != nil {
		t.Fatalf("%s: %v in %s", tr.name, err, out)
	}
	return r
}

// checkTree requires the kinds of levels and tables that the comparison is about: it proves
// nothing about a kind that it never meets.
func checkTree(t *testing.T, tr tree, r *Report) {
	if !strings.HasSuffix(r.Version, "(replaced)") {
		t.Errorf("the program has Pebble %s, not the patched copy", r.Version)
	}
	var tables, twoLevel int
	for _, l := range r.Levels {
		tables += l.Tables
		twoLevel += l.TwoLevel
		if l.Filtered != l.Tables {
			t.Errorf("L%d: %d of %d tables have a filter, want all", l.Level, l.Filtered, l.Tables)
		}
	}
	t.Logf("Pebble %s, format %d, tables %v, of them %d two-level; levels %+v", r.Version, r.Format, r.TableFormats, twoLevel, r.Levels)
	switch {
	case len(r.Levels) < 3 || r.Levels[0].Level != 0:
		t.Errorf("levels %+v: want L0 and at least two more", r.Levels)
	case tr.oneKind && twoLevel != 0:
		t.Errorf("%d of %d tables have a two-level index, want none", twoLevel, tables)
	case !tr.oneKind && (twoLevel == 0 || twoLevel == tables):
		t.Errorf("%d of %d tables have a two-level index, want some", twoLevel, tables)
	}
}
