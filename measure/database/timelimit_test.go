package database

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"getio/engine"
	"getio/engine/lsm"
)

// shapedStore is a store that has only a shape.
type shapedStore struct {
	engine.Store
	shape *lsm.Shape
}

func (s shapedStore) Shape() *lsm.Shape { return s.shape }

func databaseOf(bytes int64) *Database {
	var tables [lsm.NumLevels][]lsm.Table
	tables[6] = []lsm.Table{{Bytes: bytes}}
	return &Database{Store: shapedStore{shape: lsm.NewShape(tables)}}
}

func TestSmallDatabasesTakeAMinute(t *testing.T) {
	small, large := databaseOf(smallBytes), databaseOf(smallBytes+1)
	given := time.Now().Add(time.Hour)
	assert.WithinRange(t, TimeLimit{ShortIfSmall: true}.Of(small, small), time.Now(), time.Now().Add(time.Minute))
	assert.Zero(t, TimeLimit{ShortIfSmall: true}.Of(small, large))
	assert.Zero(t, TimeLimit{}.Of(small))
	assert.Equal(t, given, TimeLimit{Until: given, ShortIfSmall: true}.Of(small))
	assert.Equal(t, given, TimeLimit{Until: given}.Of(large))
}
