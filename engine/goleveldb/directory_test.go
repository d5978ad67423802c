package goleveldb

import (
	"testing"

	"getio/internal/enginetest"
)

func TestDirectories(t *testing.T) {
	const current = "MANIFEST-000002\n"
	enginetest.RunDirectories(t, func(dir string) error {
		_, err := Engine.Recognise(dir)
		return err
	}, map[string]enginetest.Directory{
		"new":               {Files: map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.ldb": "", "000006.log": ""}},
		"without tables":    {Files: map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000001.log": ""}},
		"of old":            {Files: map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.sst": "", "LOG": ""}},
		"Pebble":            {Files: map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.sst": "", "OPTIONS-000003": ""}, Error: "OPTIONS-000003", Other: true},
		"new Pebble":        {Files: map[string]string{"marker.manifest.000001.MANIFEST-000001": "", "MANIFEST-000001": "", "000005.sst": ""}, Error: "Pebble and RocksDB", Other: true},
		"neither":           {Files: map[string]string{"CURRENT": current, "MANIFEST-000002": "", "000005.sst": ""}, Error: "damaged", Other: true},
		"nothing":           {Error: "no database", None: true},
		"something":         {Files: map[string]string{"a": "", "000005.sst": ""}, Error: "no database", None: true},
		"no CURRENT":        {Files: map[string]string{"MANIFEST-000002": "", "000005.ldb": ""}, Error: "no CURRENT"},
		"no MANIFEST":       {Files: map[string]string{"CURRENT": current, "000005.ldb": ""}, Error: "MANIFEST-000002, which names its tables, is missing"},
		"rubbish CURRENT":   {Files: map[string]string{"CURRENT": "rubbish\n", "000005.ldb": ""}, Error: "does not name a MANIFEST"},
		"short CURRENT":     {Files: map[string]string{"CURRENT": "MANIFEST-000002", "MANIFEST-000002": ""}, Error: "does not name a MANIFEST"},
		"CURRENT elsewhere": {Files: map[string]string{"CURRENT": "MANIFEST-../../x\n"}, Error: "does not name a MANIFEST"},
	})
}

func TestParseName(t *testing.T) {
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
