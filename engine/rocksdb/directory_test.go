package rocksdb

import (
	"maps"
	"testing"

	"getio/internal/enginetest"
)

const (
	ours   = "[Version]\n  rocksdb_version=7.8.3\n  options_file_version=1.1\n"
	theirs = "[Version]\n  pebble_version=0.1\n"
)

func TestDirectories(t *testing.T) {
	whole := map[string]string{"CURRENT": "MANIFEST-000005\n", "MANIFEST-000005": "", "OPTIONS-000007": ours, "000004.log": "", "IDENTITY": "x"}
	with := func(changes ...string) map[string]string {
		files := maps.Clone(whole)
		for i := 0; i < len(changes); i += 2 {
			if files[changes[i]] = changes[i+1]; changes[i+1] == "gone" {
				delete(files, changes[i])
			}
		}
		return files
	}
	enginetest.RunDirectories(t, func(dir string) error {
		d, err := readDirectory(dir)
		if err == nil && len(d.logs) != 1 {
			t.Errorf("logs %v", d.logs)
		}
		return err
	}, map[string]enginetest.Directory{
		"whole":               {Files: whole},
		"newest options":      {Files: with("OPTIONS-000003", theirs)},
		"old options":         {Files: with("OPTIONS-000011", theirs), Error: "names no version of it", Other: true},
		"empty":               {Files: map[string]string{}, Error: "no CURRENT", None: true},
		"something else":      {Files: map[string]string{"notes.txt": ""}, Error: "no CURRENT", None: true},
		"Pebble":              {Files: with("marker.manifest.000001.MANIFEST-000001", ""), Error: "which Pebble writes", Other: true},
		"old Pebble":          {Files: with("OPTIONS-000007", theirs), Error: "names no version of it", Other: true},
		"no options":          {Files: with("OPTIONS-000007", "gone")},
		"empty options":       {Files: with("OPTIONS-000007", "")},
		"LevelDB":             {Files: with("OPTIONS-000007", "gone", "IDENTITY", "gone", "000003.ldb", ""), Error: "no OPTIONS file", Other: true},
		"no CURRENT":          {Files: with("CURRENT", "gone", "000003.sst", ""), Error: "no CURRENT, which names its MANIFEST: the database is damaged"},
		"short CURRENT":       {Files: with("CURRENT", "MANIFEST-000005"), Error: "does not name a MANIFEST"},
		"no MANIFEST":         {Files: with("MANIFEST-000005", "gone"), Error: "MANIFEST-000005, which names its tables, is missing"},
		"nonsense in OPTIONS": {Files: with("OPTIONS-000007", "\x00\xff", "IDENTITY", "gone"), Error: "names no version of it", Other: true},
	})
}
