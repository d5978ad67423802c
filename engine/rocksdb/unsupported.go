//go:build rocksdb

package rocksdb

import (
	"fmt"
	"os"
	"slices"

	"getio/engine/lsm"
)

// bytewise is the comparator that orders keys by their bytes (RocksDB: util/comparator.cc).
const bytewise = "leveldb.BytewiseComparator"

// blockTables are the values of table_factory that stand for block-based tables.
var blockTables = []string{"", "BlockBasedTable", "{id=BlockBasedTable;}"}

// requireSupported returns an error that names what getio does not read in a column family, or in the default one, which
// the library opens too. The library would call some of it damage.
func (d *directory) requireSupported(family string) error {
	for _, name := range []string{family, defaultFamily} {
		if order := d.manifest.comparators[name]; order != "" && order != bytewise {
			return fmt.Errorf("%s orders the keys of its column family %q with %s: getio reads only databases whose keys are ordered by their bytes (%s)", d.path, familyText(name), order, bytewise)
		}
	}
	if kind := d.familyOptions(family)[familySection]["table_factory"]; !slices.Contains(blockTables, kind) {
		return fmt.Errorf("%s keeps its column family %q in tables of the kind %s: getio reads only block-based tables", d.path, familyText(family), kind)
	}
	missing, count, paths := 0, 0, false
	for number, table := range d.manifest.files {
		if table.family != family {
			continue
		}
		if table.level >= lsm.NumLevels {
			return fmt.Errorf("%s has tables in level %d of its column family %q: getio reads databases of up to %d levels, so compact it into fewer on a copy", d.path, table.level, familyText(family), lsm.NumLevels)
		}
		count++
		paths = paths || table.path > 0
		if _, err := os.Stat(tablePath(d.path, number)); err != nil {
			missing++
		}
	}
	if missing > 0 && (paths || missing == count) {
		return fmt.Errorf("%s lacks %d of the %d tables of its column family %q, which its client seems to keep in other directories (db_paths or cf_paths): getio reads only databases in one directory, so copy them into one", d.path, missing, count, familyText(family))
	}
	return nil
}
