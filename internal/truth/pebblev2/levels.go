package pebblev2

import (
	"context"

	"github.com/cockroachdb/pebble/v2"
)

func setLevels(o *pebble.Options, filter pebble.FilterPolicy, tableBytes int64) {
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = filter
		o.TargetFileSizes[i] = tableBytes
	}
}

func compact(db *pebble.DB, from, to []byte) error {
	return db.Compact(context.Background(), from, to, false)
}
