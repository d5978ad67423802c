package rocksdb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"getio/engine"
)

const (
	ours   = "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
	theirs = "[Version]\n  pebble_version=0.1\n"
)

// Directories are recognised by the names of their files and the options file.
func TestDirectoriesAreRecognisedByTheirFiles(t *testing.T) {
	whole := map[string]string{"CURRENT": "MANIFEST-000005\n", "MANIFEST-000005": "", "OPTIONS-000007": ours, "000004.log": "", "IDENTITY": "x"}
	with := func(changes ...string) map[string]string {
		files := map[string]string{}
		for name, content := range whole {
			files[name] = content
		}
		for i := 0; i < len(changes); i += 2 {
			if files[changes[i]] = changes[i+1]; changes[i+1] == "gone" {
				delete(files, changes[i])
			}
		}
		return files
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string // "" if it is recognised
		other bool   // another engine may read it
		none  bool   // it holds no database
	}{
		"whole":               {files: whole},
		"newest options":      {files: with("OPTIONS-000003", theirs)},
		"old options":         {files: with("OPTIONS-000011", theirs), want: "names no version of it", other: true},
		"empty":               {files: map[string]string{}, want: "no CURRENT", none: true},
		"something else":      {files: map[string]string{"notes.txt": ""}, want: "no CURRENT", none: true},
		"Pebble":              {files: with("marker.manifest.000001.MANIFEST-000001", ""), want: "which Pebble writes", other: true},
		"old Pebble":          {files: with("OPTIONS-000007", theirs), want: "names no version of it", other: true},
		"LevelDB":             {files: with("OPTIONS-000007", "gone", "000003.ldb", ""), want: "no OPTIONS file", other: true},
		"blobs":               {files: with("000009.blob", ""), want: "blob files"},
		"no CURRENT":          {files: with("CURRENT", "gone", "000003.sst", ""), want: "no CURRENT, which names its MANIFEST: the database is damaged"},
		"short CURRENT":       {files: with("CURRENT", "MANIFEST-000005"), want: "does not name a MANIFEST"},
		"no MANIFEST":         {files: with("MANIFEST-000005", "gone"), want: "MANIFEST-000005, which names its tables, is missing"},
		"nonsense in OPTIONS": {files: with("OPTIONS-000007", "\x00\xff"), want: "names no version of it", other: true},
	} {
		dir := t.TempDir()
		for file, content := range c.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := readDirectory(dir)
		var other *engine.OtherEngineError
		switch {
		case c.want == "" && (err != nil || len(d.logs) != 1):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v", name, err)
		case errors.As(err, &other) != c.other || errors.Is(err, engine.ErrNoDatabase) != c.none:
			t.Errorf("%s: error %v is of the wrong kind", name, err)
		}
	}
}
