package sstfile

import (
	"path/filepath"
	"strconv"
	"testing"
)

func TestFileNumber(t *testing.T) {
	for path, want := range map[string]uint64{
		"000123.sst": 123, "/a/db/000001.sst": 1, "1234567.sst": 1234567, "18446744073709551615.sst": 1<<64 - 1,
	} {
		if got, ok := FileNumber(path); !ok || got != want {
			t.Errorf("%s: %d, %v", path, got, ok)
		}
	}
	for _, path := range []string{"000123.ldb", "000123.log", "MANIFEST-000001", "sst", ".sst", "x.sst", "-1.sst", "000123.sst.tmp", "18446744073709551616.sst", ""} {
		if got, ok := FileNumber(path); ok {
			t.Errorf("%s is table %d", path, got)
		}
	}
}

func FuzzFileNumber(f *testing.F) {
	f.Add("000123.sst")
	f.Add("a/b.sst")
	f.Fuzz(func(t *testing.T, path string) {
		n, ok := FileNumber(path)
		if !ok {
			return
		}
		digits := filepath.Base(path)
		if again, err := strconv.ParseUint(digits[:len(digits)-len(".sst")], 10, 64); err != nil || again != n {
			t.Errorf("%q is table %d", path, n)
		}
	})
}
