package ondisk

import (
	"path/filepath"
	"strconv"
	"strings"
)

// NewerTables counts the tables in dir whose numbers are above all listed ones: files that the library
// wrote later than the newest table that its MANIFEST lists.
func NewerTables(dir string, listed []string) (count int, err error) {
	names, err := Names(dir)
	if err != nil {
		return 0, err
	}
	var newest uint64
	for _, path := range listed {
		if n, ok := TableNumber(filepath.Base(path)); ok {
			newest = max(newest, n)
		}
	}
	for _, name := range names {
		if n, ok := TableNumber(name); ok && n > newest {
			count++
		}
	}
	return count, nil
}

// TableNumber returns the number of a table's file.
func TableNumber(name string) (n uint64, ok bool) {
	digits, ext, _ := strings.Cut(name, ".")
	if ext != "sst" && ext != "ldb" {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, err == nil
}
