package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/tree/lsm"
)

// whatIfs are the changes that predictions can be made for.
var whatIfs = []string{"last_level_filter=on", "block_size=SIZE", "index_block_size=SIZE", "bloom_bits=N"}

// whatIf is a change to a tree: how its tables would be laid out, and read.
type whatIf struct {
	lastLevelFilter             bool
	blockBytes, indexBlockBytes int64  // 0: as they are
	bloomBits                   *int64 // nil: as they are
	text                        string
}

// parseWhatIf reads a list of changes.
func parseWhatIf(list string) (w whatIf, err error) {
	w.text = strings.ReplaceAll(list, ",", ", ")
	for _, change := range strings.Split(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(change), "=")
		switch name {
		case "last_level_filter":
			if w.lastLevelFilter = value == "on"; !w.lastLevelFilter && value != "off" {
				err = fmt.Errorf("%q: want on or off", change)
			}
		case "block_size":
			w.blockBytes, err = parseBlockSize(change, value)
		case "index_block_size":
			w.indexBlockBytes, err = parseBlockSize(change, value)
		case "bloom_bits":
			bits, e := strconv.ParseInt(value, 10, 64)
			if w.bloomBits = &bits; e != nil || bits < 0 || bits > 100 {
				err = fmt.Errorf("%q: want 0 (no filters) to 100 bits per key", change)
			}
		default:
			err = fmt.Errorf("%q cannot be predicted: want %s", change, strings.Join(whatIfs, ", "))
		}
		if err != nil {
			return w, err
		}
	}
	return w, nil
}

func parseBlockSize(change, value string) (int64, error) {
	const smallest, largest = 256, 16 << 20
	n, err := humanize.ParseBytes(value)
	if err != nil || n < smallest || n > largest {
		return 0, fmt.Errorf("%q: want a size from 256 bytes to 16MiB, like 32KiB", change)
	}
	return int64(n), nil
}

// apply changes the layout, and returns the shape as it is laid out then. Where
// nothing is cut anew, the shape's own figures stay.
func (w whatIf) apply(shape *lsm.Shape, layout *lsm.TableFormat) *lsm.Shape {
	if w.lastLevelFilter {
		shape = layout.FilterLastLevel(shape)
	}
	if w.blockBytes == 0 && w.indexBlockBytes == 0 && w.bloomBits == nil {
		return shape
	}
	before := *layout
	if w.blockBytes > 0 {
		layout.BlockBytes = w.blockBytes
	}
	if w.indexBlockBytes > 0 {
		layout.IndexBlockBytes = w.indexBlockBytes
	}
	if w.bloomBits != nil {
		layout.BloomBits = *w.bloomBits
	}
	return before.Reformat(shape, layout)
}
