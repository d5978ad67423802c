package goleveldb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"getio/engine"
)

func fabricate(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func TestDirectoriesAreRecognisedByTheirFiles(t *testing.T) {
	const current = "MANIFEST-000002\n"
	for name, c := range map[string]struct {
		files map[string]string
		says  string // "": it is recognised
		none  bool   // it holds no database at all
		other bool   // it is of another engine
	}{
		"new":               {map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.ldb": "", "000006.log": ""}, "", false, false},
		"without tables":    {map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000001.log": ""}, "", false, false},
		"of old":            {map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.sst": "", "LOG": ""}, "", false, false},
		"Pebble":            {map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.sst": "", "OPTIONS-000003": ""}, "OPTIONS-000003", false, true},
		"new Pebble":        {map[string]string{"marker.manifest.000001.MANIFEST-000001": "", "MANIFEST-000001": "", "000005.sst": ""}, "Pebble and RocksDB", false, true},
		"neither":           {map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.sst": ""}, "damaged", false, true},
		"nothing":           {nil, "no database", true, false},
		"something":         {map[string]string{"a": "", "000005.sst": ""}, "no database", true, false},
		"no CURRENT":        {map[string]string{"MANIFEST-000002": "", "000005.ldb": ""}, "no CURRENT", false, false},
		"no MANIFEST":       {map[string]string{"CURRENT": current, "000005.ldb": ""}, "MANIFEST-000002, which names its tables, is missing", false, false},
		"rubbish CURRENT":   {map[string]string{"CURRENT": "rubbish\n", "000005.ldb": ""}, "does not name a MANIFEST", false, false},
		"short CURRENT":     {map[string]string{"CURRENT": "MANIFEST-000002", "MANIFEST-000002": ""}, "does not name a MANIFEST", false, false},
		"CURRENT elsewhere": {map[string]string{"CURRENT": "MANIFEST-../../x\n"}, "does not name a MANIFEST", false, false},
	} {
		_, err := Engine.Recognise(fabricate(t, c.files))
		var other *engine.OtherEngineError
		switch {
		case c.says == "" && err != nil, c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v", name, err)
		case errors.Is(err, engine.ErrNoDatabase) != c.none, errors.As(err, &other) != c.other:
			t.Errorf("%s: it is taken for the wrong thing: %v", name, err)
		}
	}
}

func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"000005.ldb": "000005.ldb", "000005.sst": "000005.ldb", "12345678.log": "12345678.log", "MANIFEST-000007": "MANIFEST-000007", "000001.tmp": "000001.tmp",
		"LOG": "", "LOCK": "", "CURRENT": "", "5.ldb.bak": "", ".ldb": "", "-1.ldb": "", "MANIFEST-": "", "MANIFEST-x": "", "1e3.ldb": "", "99999999999999999999.ldb": "",
	} {
		fd, ok := parseName(name)
		if ok != (want != "") || ok && fd.String() != want {
			t.Errorf("%s is %v, %v", name, fd, ok)
		}
	}
}
