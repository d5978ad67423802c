package virtual_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/rowtable"
	"getio/engine/virtual"
	"getio/workload/dataset"
)

// TestMovedDatabaseOpens moves a database together with its dataset.
func TestMovedDatabaseOpens(t *testing.T) {
	b := builders[0]
	d := buildDataset(t, b, dataset.ValuesPool32, 110, variedTables(b)[:1])
	if !virtual.IsVirtual(d.db) || virtual.IsVirtual(d.dir) {
		t.Errorf("the database is virtual: %v, its dataset's directory: %v", virtual.IsVirtual(d.db), virtual.IsVirtual(d.dir))
	}
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(d.dir, moved))
	tables, err := virtual.Open(filepath.Join(moved, "db"), 1)
	require.NoError(t, err)
	require.NoError(t, tables.Close())
}

// TestDamagedDatabasesDoNotOpen damages or removes files of a virtual database. Errors must
// be one sentence with a way out.
func TestDamagedDatabasesDoNotOpen(t *testing.T) {
	b := builders[0]
	d := buildDataset(t, b, dataset.ValuesPool32, 110, variedTables(b)[:1])
	marker := filepath.Join(d.db, virtual.MarkerName)
	manifest, tree := filepath.Join(d.dir, dataset.ManifestName), filepath.Join(d.dir, dataset.TreeName)
	replace := func(path, old, new string) func() {
		return func() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			changed := strings.Replace(string(text), old, new, 1)
			require.NotEqual(t, string(text), changed, "%s has no %q", path, old)
			require.NoError(t, os.WriteFile(path, []byte(changed), 0o644))
		}
	}
	write := func(path, text string) func() {
		return func() { require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) }
	}
	remove := func(path string) func() { return func() { require.NoError(t, os.Remove(path)) } }
	for name, c := range map[string]struct {
		spoil func()
		where string
		words []string
	}{
		"no marker":         {remove(marker), marker, []string{"no such file", "build the dataset again"}},
		"empty marker":      {write(marker, ""), marker, []string{"build the dataset again"}},
		"marker of garbage": {write(marker, "\x00\xff"), marker, []string{"build the dataset again"}},
		"another marker":    {write(marker, "[]"), marker, []string{"build the dataset again"}},
		"a newer marker":    {replace(marker, "virtual/1", "virtual/2"), marker, []string{"getio.virtual/2", "use the getio that wrote it"}},
		"no schema":         {replace(marker, "schema", "scheme"), marker, []string{"use the getio that wrote it"}},
		"no restart points": {replace(marker, `:16`, `:0`), marker, []string{"build the dataset again"}},
		"negative restarts": {replace(marker, `:16`, `:-16`), marker, []string{"build the dataset again"}},
		"unknown Snappy":    {replace(marker, "eighth", "ninth"), marker, []string{"ninth", "build the dataset again"}},
		"wrong way":         {replace(marker, `".."`, `"../elsewhere"`), d.db, []string{"elsewhere", "move both together"}},
		"no manifest":       {remove(manifest), d.db, []string{dataset.ManifestName, "move both together"}},
		"damaged manifest":  {write(manifest, "{"), manifest, []string{"load the dataset again"}},
		"not virtual":       {replace(manifest, `"build": "virtual"`, `"build": "shaped"`), manifest, []string{"load the dataset again"}},
		"natural":           {replace(manifest, `"build": "virtual",`, ``), manifest, []string{"load the dataset again"}},
		"no tree":           {remove(tree), tree, []string{"build the dataset again"}},
		"damaged tree":      {write(tree, "{"), tree, []string{"build the dataset again"}},
		"another tree":      {replace(tree, `"keys":1}`, `"keys":2}`), manifest, []string{"tree.json", "build the dataset again"}},
	} {
		var restore []func()
		for _, path := range []string{marker, manifest, tree} {
			_, again := snapshot(t, path)
			restore = append(restore, again)
		}
		c.spoil()
		tables, err := virtual.Open(d.db, 1)
		if err == nil {
			tables.Close()
		}
		t.Run(name, func(t *testing.T) { says(t, err, c.where, c.words...) })
		for _, again := range restore {
			again()
		}
	}
	require.NoError(t, d.open(t, 1).Close())
}

func TestWriteMarkerErrors(t *testing.T) {
	dir := t.TempDir()
	form := &rowtable.Form{RestartInterval: 16}
	assert.Error(t, virtual.WriteMarker(filepath.Join(dir, "no", "such"), dir, form), "a database in no directory was marked")
	assert.Error(t, virtual.WriteMarker(dir, "relative", form), "a database without a path to its dataset was marked")
}
