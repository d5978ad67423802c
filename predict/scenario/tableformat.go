package scenario

import (
	"strconv"

	"getio/dataset"
	"getio/load/treewriter"
	"getio/tree/lsm"
)

// TableFormat returns how an engine's effective options lay out tables of getio's keys. Options
// that are missing have Pebble's defaults.
func TableFormat(options map[string]string) lsm.TableFormat {
	interval, _ := strconv.ParseInt(options["block_restart_interval"], 10, 64)
	bloom, err := strconv.ParseInt(options["bloom_bits"], 10, 64)
	if err != nil { // levels differ; the last one may have none
		bloom, _ = strconv.ParseInt(options["bloom_bits.L0"], 10, 64)
	}
	return lsm.TableFormat{
		KeyBytes:        dataset.KeySize,
		BlockBytes:      treewriter.OptionBytes(options, "block_size", 4<<10),
		IndexBlockBytes: treewriter.OptionBytes(options, "index_block_size", 4<<10),
		RestartInterval: max(interval, 1), BloomBits: bloom,
	}
}
