//go:build rocksdb

package rocksdb

import (
	"fmt"
	"path/filepath"

	"getio/engine/rocksdb/rocksfile"
)

// formatSince maps table formats to the version of RocksDB that introduced them (HISTORY.md).
var formatSince = map[int]string{6: "8.6", 7: "10.4"}

// otherLibrary says how to get a getio that reads and writes a format.
func otherLibrary(format int) string {
	return fmt.Sprintf("build getio with RocksDB %s or newer (docs/install.md)", formatSince[format])
}

// requireFormat returns an error if the library does not read tables of a format that getio reads.
func (d *directory) requireFormat(format int) error {
	if format <= newestFormat {
		return nil
	}
	return fmt.Errorf("%s has tables of format %d, which the RocksDB %s of this getio cannot read: %s", d.path, format, libraryVersion(), otherLibrary(format))
}

// requireTable returns an error if the library reads none of the directory's tables, because all are of
// newer formats.
func (d *directory) requireTable() error {
	newest := 0
	for _, name := range d.tables {
		format, err := rocksfile.ReadFormat(filepath.Join(d.path, name))
		if err != nil || format <= newestFormat {
			return nil
		}
		newest = max(newest, format)
	}
	return d.requireFormat(newest)
}

// newestFormat returns the newest format of the directory's tables, without those that cannot be read:
// what is wrong with them is for the library and the catalog to say.
func (d *directory) newestFormat() (newest int) {
	for _, name := range d.tables {
		if format, err := rocksfile.ReadFormat(filepath.Join(d.path, name)); err == nil {
			newest = max(newest, format)
		}
	}
	return newest
}
