package main

import (
	"fmt"

	"github.com/cockroachdb/pebble"
	"github.com/rogpeppe/go-internal/testscript"
)

// scriptZstd makes a database of Pebble v1 that is compressed with Zstandard.
func scriptZstd(ts *testscript.TestScript, _ bool, args []string) {
	db, err := pebble.Open(ts.MkAbs(args[0]), &pebble.Options{
		Levels: []pebble.LevelOptions{{Compression: pebble.ZstdCompression}},
		Logger: silent{},
	})
	ts.Check(err)
	for i := range 1000 {
		ts.Check(db.Set(fmt.Appendf(nil, "key %d", i), []byte("value"), pebble.NoSync))
	}
	ts.Check(db.Flush())
	ts.Check(db.Close())
}
