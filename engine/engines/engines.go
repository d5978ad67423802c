// Package engines lists the engines of this binary.
package engines

import (
	"slices"

	"getio/engine"
	"getio/engine/goleveldb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/rocksdb"
)

// All returns the engines in the order in which they try to recognise a database. What both
// versions of Pebble can read is read with the newer one, as in geth.
func All() engine.Registry {
	return engine.Registry{pebblev2.Engine, pebblev1.Engine, goleveldb.Engine, rocksdb.Engine}
}

// Available returns the engines whose library is in this binary.
func Available() engine.Registry {
	return slices.DeleteFunc(All(), func(e engine.Engine) bool { return rocksdb.Missing && e == rocksdb.Engine })
}
