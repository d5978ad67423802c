package ldbfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"

	"getio/engine/catalog"
)

// logOf is the write-ahead log of a database of batches of one, two, three ... keys.
func logOf(t testing.TB, batches int) (log []byte, keys int64) {
	t.Helper()
	dir := t.TempDir()
	db, err := leveldb.OpenFile(dir, nil)
	require.NoError(t, err)
	for i := range batches {
		var b leveldb.Batch
		for j := range i + 1 {
			b.Put(fmt.Appendf(nil, "key %d %d", i, j), bytes.Repeat([]byte("v"), 100))
			keys++
		}
		require.NoError(t, db.Write(&b, nil))
	}
	require.NoError(t, db.Close())
	paths, err := filepath.Glob(filepath.Join(dir, "*.log"))
	require.NoError(t, err)
	log, err = os.ReadFile(paths[0])
	require.NoError(t, err)
	return log, keys
}

func logged(t testing.TB, log []byte) (int64, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "000001.log")
	require.NoError(t, os.WriteFile(path, log, 0o600))
	return ReadLog(path, catalog.Log{})
}

func TestReadLog(t *testing.T) {
	log, want := logOf(t, 60)
	require.GreaterOrEqual(t, len(log), 3*32<<10)
	if got, err := logged(t, log); err != nil || got != want {
		t.Errorf("%d keys, want %d (%v)", got, want, err)
	}
}

// A killed process may leave its last batch partly written. Only the batches before it count.
func TestTornBatchIsNotCounted(t *testing.T) {
	log, want := logOf(t, 60)
	last := int64(60)
	for cut := 1; cut < 6000; cut += 97 {
		if got, err := logged(t, log[:len(log)-cut]); err != nil || got != want-last {
			t.Errorf("without %d bytes: %d keys, want %d (%v)", cut, got, want-last, err)
		}
	}
}

func TestDamagedLogFails(t *testing.T) {
	log, _ := logOf(t, 60)
	for at := 20; at < len(log); at += 1009 {
		damaged := bytes.Clone(log)
		damaged[at] ^= 0x10
		if got, err := logged(t, damaged); err == nil {
			t.Errorf("byte %d wrong: %d keys", at, got)
		}
	}
}
