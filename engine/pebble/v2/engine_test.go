package pebblev2

import (
	"testing"

	"getio/engine"
	"getio/internal/pebbletest"
)

func TestMemtablesLeaveBlockMemory(t *testing.T) {
	pebbletest.MemtablesLeaveBlockMemory(t, pebbleEngine{library}, func(u engine.UpdatingDB) int64 {
		return u.(*updating).db.pebble.Metrics().BlockCache.Size
	})
}

func TestMemtablesTakeTheirPart(t *testing.T) {
	pebbletest.MemtablesTakeTheirPart(t, pebbleEngine{library})
}
