package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine/lsm"
)

// Changes lists the changes that ParseChange accepts.
var Changes = []string{"last_level_filter=on", "block_size=SIZE", "index_block_size=SIZE", "bloom_bits=N"}

// Change is a change to a tree: other table options, or filters on the last level that Gets
// consult.
type Change struct {
	lastLevelFilter             bool
	blockBytes, indexBlockBytes int64  // 0: unchanged
	bloomBits                   *int64 // nil: unchanged
	text                        string
}

// ParseChange reads comma-separated changes.
func ParseChange(list string) (c Change, err error) {
	c.text = strings.ReplaceAll(list, ",", ", ")
	changes := strings.Split(list, ",")
	for _, change := range changes {
		name, value, _ := strings.Cut(strings.TrimSpace(change), "=")
		switch name {
		case "last_level_filter":
			if c.lastLevelFilter = value == "on"; !c.lastLevelFilter && value != "off" {
				err = errors.New("want on or off")
			}
		case "block_size":
			c.blockBytes, err = parseBlockSize(value)
		case "index_block_size":
			c.indexBlockBytes, err = parseBlockSize(value)
		case "bloom_bits":
			bits, e := strconv.ParseInt(value, 10, 64)
			if c.bloomBits = &bits; e != nil || bits < 0 || bits > 100 {
				err = errors.New("want 0 (no filters) to 100 bits per key")
			}
		default:
			err = fmt.Errorf("cannot be predicted: want %s", strings.Join(Changes, ", "))
		}
		if err != nil && len(changes) > 1 {
			err = fmt.Errorf("%q: %w", change, err)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}

func parseBlockSize(text string) (int64, error) {
	const smallest, largest = 256, 16 << 20
	n, err := humanize.ParseBytes(text)
	if err != nil || n < smallest || n > largest {
		return 0, errors.New("want a size from 256 bytes to 16MiB, such as 32KiB")
	}
	return int64(n), nil
}

// check returns an error for a change that is not known for the tables of a shape, which an engine
// other than Pebble reads.
func (c Change) check(engine string, shape *lsm.Shape) error {
	switch {
	case c.lastLevelFilter && engine == "rocksdb":
		return errors.New("rocksdb consults all filters in Gets, unless --option optimize_filters_for_hits=true: leave last_level_filter out")
	case c.lastLevelFilter:
		return fmt.Errorf("%s consults all filters in Gets: leave last_level_filter out", engine)
	case c.indexBlockBytes > 0:
		return fmt.Errorf("index_block_size is predicted only for Pebble, and the tables are of %s: leave it out", engine)
	case c.bloomBits != nil && anyTable(shape, func(t lsm.Table) bool { return t.FilterBlocks > 0 }):
		return errors.New("bloom_bits is not predicted for partitioned filters, which these tables have: leave it out")
	case c.bloomBits != nil && !shape.Filtered() && anyTable(shape, func(t lsm.Table) bool { return t.IndexBlocks > 0 }):
		return errors.New("bloom_bits is not predicted for tables that have no filters and partitioned indexes: RocksDB may partition the filters, too; leave it out")
	}
	return nil
}

func anyTable(shape *lsm.Shape, kind func(lsm.Table) bool) bool {
	return slices.ContainsFunc(shape.Levels, func(l lsm.Level) bool { return slices.ContainsFunc(l.TableList, kind) })
}

// options returns the options of an engine that opens the changed tree.
func (c Change) options(before map[string]string) map[string]string {
	options := maps.Clone(before)
	if c.blockBytes > 0 {
		options["block_size"] = strconv.FormatInt(c.blockBytes, 10)
	}
	return options
}

// apply changes the format and returns the shape in it. A shape whose blocks stay as they are
// keeps its own figures.
func (c Change) apply(shape *lsm.Shape, format *lsm.TableFormat) *lsm.Shape {
	filtered := shape.Filtered()
	if c.lastLevelFilter {
		shape = format.FilterLastLevel(shape)
	}
	if c.blockBytes == 0 && c.indexBlockBytes == 0 && c.bloomBits == nil {
		return shape
	}
	before := *format
	if !filtered && c.bloomBits != nil {
		before.BloomBits = 0 // whatever the options say
	}
	if c.blockBytes > 0 {
		format.BlockBytes = c.blockBytes
	}
	if c.indexBlockBytes > 0 {
		format.IndexBlockBytes = c.indexBlockBytes
	}
	if c.bloomBits != nil {
		format.BloomBits = *c.bloomBits
	}
	return before.Reformat(shape, format)
}
