package pebbledb

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/internal/enginetest"
)

// pebbleOptions identifies an OPTIONS file as Pebble's.
const pebbleOptions = "[Version]\n  pebble_version=0.1\n\n[Options]\n  comparer=leveldb.BytewiseComparator\n  merger=pebble.concatenate\n"

// fabricate creates a directory with the given files, by name and content.
func fabricate(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// with returns the union of the sets.
func with(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// Files of databases of both formats.
var (
	// Format 1 names its MANIFEST in CURRENT and has no markers.
	oldest = map[string]string{
		"CURRENT": "MANIFEST-000005\n", "MANIFEST-000005": "", "OPTIONS-000004": pebbleOptions,
		"000006.log": "12345", "000007.sst": "", "LOCK": "",
	}
	// Newer formats have markers.
	marked = map[string]string{
		"marker.format-version.000001.013": "", "marker.manifest.000002.MANIFEST-000009": "", "MANIFEST-000009": "",
		"OPTIONS-000010": pebbleOptions, "000011.sst": "", "000012.sst": "",
	}
)

func TestReadDirectory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  Directory
	}{
		"oldest format": {oldest, Directory{Format: 1, Manifest: "MANIFEST-000005", Options: "OPTIONS-000004", WALs: []string{"000006.log"}, Tables: 1}},
		"markers":       {marked, Directory{Format: 13, Manifest: "MANIFEST-000009", Options: "OPTIONS-000010", Tables: 2}},
		"markers of several iterations": {
			with(marked, map[string]string{
				"marker.format-version.000003.016": "", "marker.format-version.000002.014": "",
				"marker.manifest.000010.MANIFEST-000020": "", "marker.manifest.000009.MANIFEST-000019": "", "MANIFEST-000020": "",
			}),
			Directory{Format: 16, Manifest: "MANIFEST-000020", Options: "OPTIONS-000010", Tables: 2},
		},
		"iterations of several lengths": {
			with(marked, map[string]string{"marker.format-version.1000000.019": "", "marker.format-version.999999.018": ""}),
			Directory{Format: 19, Manifest: "MANIFEST-000009", Options: "OPTIONS-000010", Tables: 2},
		},
		"a marker before CURRENT": {
			with(oldest, marked),
			Directory{Format: 13, Manifest: "MANIFEST-000009", Options: "OPTIONS-000010", WALs: []string{"000006.log"}, Tables: 3},
		},
		"a format marker beside CURRENT": {
			with(oldest, map[string]string{"marker.format-version.000001.002": ""}),
			Directory{Format: 2, Manifest: "MANIFEST-000005", Options: "OPTIONS-000004", WALs: []string{"000006.log"}, Tables: 1},
		},
		"several options files": {
			with(oldest, map[string]string{"OPTIONS-000100": pebbleOptions, "OPTIONS-000099": "nonsense", "OPTIONS-000200.dbtmp": "nonsense"}),
			Directory{Format: 1, Manifest: "MANIFEST-000005", Options: "OPTIONS-000100", WALs: []string{"000006.log"}, Tables: 1},
		},
		"files of others": {
			with(marked, map[string]string{"LOG": "", "README.md": "", "marker.other.000009.x": "", "marker.format-version.x.99": "", "marker.format-version": "", "x.sst.bak": ""}),
			Directory{Format: 13, Manifest: "MANIFEST-000009", Options: "OPTIONS-000010", Tables: 2},
		},
		"an older marker, left by an interrupted update": {
			with(marked, map[string]string{"marker.format-version.000000.new": ""}),
			Directory{Format: 13, Manifest: "MANIFEST-000009", Options: "OPTIONS-000010", Tables: 2},
		},
		"no tables yet": {
			map[string]string{"CURRENT": "MANIFEST-000001\n", "MANIFEST-000001": "", "OPTIONS-000003": pebbleOptions},
			Directory{Format: 1, Manifest: "MANIFEST-000001", Options: "OPTIONS-000003"},
		},
	} {
		c.want.Path = fabricate(t, c.files)
		for range 20 { // directories list their files in any order
			if got, err := ReadDirectory(c.want.Path); err != nil || !reflect.DeepEqual(*got, c.want) {
				t.Fatalf("%s: %+v, want %+v, error %v", name, got, c.want, err)
			}
		}
	}
}

func TestReadDirectoryErrorsExplain(t *testing.T) {
	without := func(files map[string]string, name string) map[string]string {
		rest := with(files)
		delete(rest, name)
		return rest
	}
	enginetest.RunDirectories(t, func(dir string) error {
		_, err := ReadDirectory(dir)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %v", err)
		}
		return err
	}, map[string]enginetest.Directory{
		"empty":                        {Files: nil, Error: "no database", None: true},
		"other files":                  {Files: map[string]string{"notes.txt": "", "a.log": "", "LOCK": ""}, Error: "no database", None: true},
		"an options file alone":        {Files: map[string]string{"OPTIONS-000001": pebbleOptions}, Error: "no database", None: true},
		"LevelDB":                      {Files: with(oldest, map[string]string{"000009.ldb": ""}), Error: "LevelDB", Other: true},
		"LevelDB without tables":       {Files: map[string]string{"CURRENT": "MANIFEST-000002\n", "MANIFEST-000002": "", "LOG": "", "LOCK": "", "000001.log": ""}, Error: "LevelDB", Other: true},
		"RocksDB":                      {Files: with(oldest, map[string]string{"OPTIONS-000099": "[Version]\n  rocksdb_version=7.8.3\n"}), Error: "RocksDB", Other: true},
		"options of nobody":            {Files: with(oldest, map[string]string{"OPTIONS-000004": "[Options]\n  x=1\n"}), Error: "not a Pebble database"},
		"binary options":               {Files: with(oldest, map[string]string{"OPTIONS-000004": "\x00\xff=\x01"}), Error: "not a Pebble database"},
		"no options":                   {Files: without(oldest, "OPTIONS-000004"), Error: "OPTIONS"},
		"no MANIFEST":                  {Files: without(oldest, "MANIFEST-000005"), Error: "MANIFEST-000005"},
		"the marked MANIFEST missing":  {Files: without(marked, "MANIFEST-000009"), Error: "MANIFEST-000009"},
		"nothing names the MANIFEST":   {Files: without(oldest, "CURRENT"), Error: "damaged"},
		"empty CURRENT":                {Files: with(oldest, map[string]string{"CURRENT": ""}), Error: "CURRENT"},
		"garbage in CURRENT":           {Files: with(oldest, map[string]string{"CURRENT": "\x00\x01"}), Error: "CURRENT"},
		"CURRENT names another file":   {Files: with(oldest, map[string]string{"CURRENT": "000007.sst\n"}), Error: "CURRENT"},
		"CURRENT leads out of it":      {Files: with(oldest, map[string]string{"CURRENT": "MANIFEST-1/../../x\n"}), Error: "CURRENT"},
		"CURRENT of two lines":         {Files: with(oldest, map[string]string{"CURRENT": "MANIFEST-000005\nMANIFEST-000006\n"}), Error: "CURRENT"},
		"a format marker of no number": {Files: with(marked, map[string]string{"marker.format-version.000009.new": ""}), Error: "damaged"},
		"a format marker of 0":         {Files: with(marked, map[string]string{"marker.format-version.000009.000": ""}), Error: "damaged"},
		"a format marker below 0":      {Files: with(marked, map[string]string{"marker.format-version.000009.-13": ""}), Error: "damaged"},
		"another comparer":             {Files: with(oldest, map[string]string{"OPTIONS-000004": strings.Replace(pebbleOptions, Comparer, "cockroach_comparator", 1)}), Error: "comparer cockroach_comparator, which getio does not have"},
		"another merger":               {Files: with(oldest, map[string]string{"OPTIONS-000004": strings.Replace(pebbleOptions, merger, "cockroach_merge_operator", 1)}), Error: "merger cockroach_merge_operator, which getio does not have"},
		"remote objects":               {Files: with(marked, map[string]string{"marker.remote-obj-catalog.000001.REMOTE-OBJ-CATALOG-000001": ""}), Error: "keeps tables in remote storage (REMOTE-OBJ-CATALOG-000001"},
		"blob files":                   {Files: with(marked, map[string]string{"000013.blob": ""}), Error: "blob"},
	})
}

func TestReadDirectoryOfFileOrMissing(t *testing.T) {
	dir := fabricate(t, map[string]string{"file": "x"})
	for _, path := range []string{filepath.Join(dir, "file"), filepath.Join(dir, "none")} {
		if _, err := ReadDirectory(path); !errors.Is(err, engine.ErrNoDatabase) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestInfo(t *testing.T) {
	d, err := ReadDirectory(fabricate(t, with(oldest, map[string]string{"000099.log": "123"})))
	require.NoError(t, err)
	info, err := d.Info("pebbleany", "v1")
	require.NoError(t, err)
	if info.Comparer != "leveldb.BytewiseComparator" || info.Merger != "pebble.concatenate" || info.Format != 1 || info.Dir != d.Path ||
		info.WALBytes != 8 || len(d.WALs) != 2 {
		t.Errorf("%+v, logs %v", info, d.WALs)
	}
}

func TestWrittenOptions(t *testing.T) {
	dir := fabricate(t, map[string]string{"OPTIONS-000004": `[Version]
  pebble_version=0.1

[Options]
  cache_size=8388608
  merger=pebble.concatenate
  table_property_collectors=[]
  empty=

[Level "0"]
  block_size=4096
  filter_policy=rocksdb.BuiltinBloomFilter
[Level "1"]
  block_size=512
no equals sign
`})
	d := &Directory{Path: dir, Options: "OPTIONS-000004"}
	got, err := d.WrittenOptions()
	require.NoError(t, err)
	want := map[string]string{
		"Version.pebble_version": "0.1", "Options.cache_size": "8388608", "Options.merger": "pebble.concatenate",
		"Options.table_property_collectors": "[]", "Options.empty": "",
		`Level "0".block_size`: "4096", `Level "0".filter_policy`: "rocksdb.BuiltinBloomFilter", `Level "1".block_size`: "512",
	}
	assert.Equal(t, want, got)
	d.Options = "OPTIONS-000005"
	_, err = d.WrittenOptions()
	assert.Error(t, err, "a missing options file was read")
}

func FuzzReadDirectory(f *testing.F) {
	f.Add("marker.format-version.000001.013", "MANIFEST-000005\n", pebbleOptions)
	f.Add("marker.manifest.000001.MANIFEST-000005", "", "[a]\nb=c")
	f.Add("OPTIONS-", "MANIFEST-\n", "=")
	f.Add("x.ldb", "MANIFEST-000005", "[Version")
	f.Fuzz(func(t *testing.T, name, current, options string) {
		if name == "" || len(name) > 200 || strings.ContainsAny(name, "/\x00") || name == "." || name == ".." {
			return
		}
		dir := fabricate(t, with(oldest, map[string]string{"CURRENT": current, "OPTIONS-000004": options, name: ""}))
		d, err := ReadDirectory(dir)
		if err != nil {
			return
		}
		if d.Manifest == "" || d.Options == "" || d.Format == 0 {
			t.Errorf("%q, %q: %+v", name, current, d)
		}
		assert.FileExists(t, filepath.Join(dir, d.Manifest), "%q, %q", name, current)
	})
}
