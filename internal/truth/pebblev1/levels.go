package pebblev1

import "github.com/cockroachdb/pebble"

func setLevels(o *pebble.Options, filter pebble.FilterPolicy, tableBytes int64) {
	o.Levels = make([]pebble.LevelOptions, 7)
	for i := range o.Levels {
		o.Levels[i] = pebble.LevelOptions{FilterPolicy: filter, TargetFileSize: tableBytes}
	}
}

func compact(db *pebble.DB, from, to []byte) error { return db.Compact(from, to, false) }
