//go:build rocksdb

package rocksdb

import (
	"fmt"
	"path/filepath"
	"slices"

	"getio/engine/rocksdb/rocksfile"
)

// formatSince maps table formats to the version of RocksDB that introduced them (HISTORY.md).
var formatSince = map[int]string{6: "8.6", 7: "10.4"}

// otherLibrary says how to get a getio that reads and writes a format.
func otherLibrary(format int) string {
	return fmt.Sprintf("build getio with RocksDB %s or newer, which 'make rocksdb-static' builds (docs/install.md)", formatSince[format])
}

// requireFormats returns an error if the library does not read tables of one of the formats, all of which getio reads.
func (d *directory) requireFormats(formats []int) error {
	if len(formats) == 0 {
		return nil
	}
	format, way := slices.Max(formats), ""
	switch oldest := slices.Min(formats); {
	case format > newestFormat:
		way = otherLibrary(format)
	case oldest < oldestFormat:
		format, way = oldest, "build getio with a RocksDB before 11 (docs/install.md)"
	default:
		return nil
	}
	return fmt.Errorf("%s has tables of format %d, which the RocksDB %s of this getio cannot read: %s", d.path, format, libraryVersion(), way)
}

// requireTable returns an error if the library reads none of the directory's tables, because of their formats.
func (d *directory) requireTable() error {
	formats, unknown := d.formats()
	if unknown || slices.ContainsFunc(formats, func(f int) bool { return oldestFormat <= f && f <= newestFormat }) {
		return nil
	}
	return d.requireFormats(formats)
}

// formats returns the formats of the directory's tables. Those that cannot be read are left out, and make unknown true:
// what is wrong with them is for the library and the catalog to say.
func (d *directory) formats() (formats []int, unknown bool) {
	for _, name := range d.tables {
		format, err := rocksfile.ReadFormat(filepath.Join(d.path, name))
		if err != nil {
			unknown = true
			continue
		}
		formats = append(formats, format)
	}
	return formats, unknown
}
