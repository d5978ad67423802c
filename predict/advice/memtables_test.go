package advice

import (
	"bytes"
	"testing"

	pebblev1 "github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"getio/predict/twin"
)

// TestPebbleReservesTwoMemtables checks pebbleMemtables with the library's own numbers.
func TestPebbleReservesTwoMemtables(t *testing.T) {
	const memtable = 512 << 10
	db, err := pebble.Open(t.TempDir(), &pebble.Options{MemTableSize: memtable, Logger: quietLogger{t}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()

	value := bytes.Repeat([]byte{1}, memtable/8)
	for i := range byte(4) { // grow the memtable to its full size, and flush it
		for j := range byte(3) {
			require.NoError(t, db.Set([]byte{i, j}, value, pebble.NoSync))
		}
		require.NoError(t, db.Flush())
	}
	m := db.Metrics().MemTable
	require.EqualValues(t, 1, m.Count)
	require.EqualValues(t, pebbleMemtables*memtable, m.Size+m.ZombieSize)
}

// TestPebbleReservesReopened checks reopenedMemtables with the library's own numbers. geth always leaves a
// record in the log: its marker of an unclean shutdown.
func TestPebbleReservesReopened(t *testing.T) {
	dir := t.TempDir()
	open := func() *pebble.DB {
		db, err := pebble.Open(dir, &pebble.Options{MemTableSize: 2 << 20, Logger: quietLogger{t}})
		require.NoError(t, err)
		return db
	}
	db := open()
	require.NoError(t, db.Set([]byte("running"), []byte("since today"), pebble.Sync))
	require.NoError(t, db.Close())
	db = open()
	defer func() { require.NoError(t, db.Close()) }()
	m := db.Metrics().MemTable
	require.EqualValues(t, (&Question{Subject: twin.Subject{Library: "pebblev2"}}).reopenedMemtables(), m.Size+m.ZombieSize)
	require.True(t, firstMemtable(dir))
}

// TestPebbleV1ReservesReopened is the same for version 1.
func TestPebbleV1ReservesReopened(t *testing.T) {
	dir := t.TempDir()
	open := func() *pebblev1.DB {
		db, err := pebblev1.Open(dir, &pebblev1.Options{MemTableSize: 2 << 20, Logger: quietLogger{t}})
		require.NoError(t, err)
		return db
	}
	db := open()
	require.NoError(t, db.Set([]byte("running"), []byte("since today"), pebblev1.Sync))
	require.NoError(t, db.Close())
	db = open()
	defer func() { require.NoError(t, db.Close()) }()
	m := db.Metrics().MemTable
	require.EqualValues(t, (&Question{Subject: twin.Subject{Library: "pebblev1"}}).reopenedMemtables(), m.Size+m.ZombieSize)
}

// quietLogger logs to the test.
type quietLogger struct{ *testing.T }

func (l quietLogger) Infof(format string, args ...any)  { l.Logf(format, args...) }
func (l quietLogger) Errorf(format string, args ...any) { l.T.Errorf(format, args...) }
