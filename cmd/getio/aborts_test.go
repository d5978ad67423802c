package main

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/rocksdb"
	"getio/internal/truth/truthtest"
)

// TestLibraryThatAborts: RocksDB with assertions aborts while it replays a log in which one transaction begins within
// another. getio says so, in every command that opens the database. Without assertions, it is read.
func TestLibraryThatAborts(t *testing.T) {
	asserts := rocksdb.Engine.Version() == "7.8.3"        // of Debian
	if !asserts && rocksdb.Engine.Version() != "11.8.1" { // of make rocksdb-static
		t.Skip("it is not known whether this RocksDB has assertions")
	}
	dir := filepath.Join(t.TempDir(), "db")
	truthtest.Ask(t, "", "odd", "committed", dir)
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	appendToLog(t, logs[0], "\x09\x09\x01\x01k\x01v\x0a\x01x") // begin, begin, Put(k, v), prepared as x
	for _, args := range [][]string{{"inspect", dir}, {"measure", dir, "--cache", "1MiB"}, {"doctor", dir}} {
		out, err := exec.Command("getio", args...).CombinedOutput()
		t.Logf("%v: %v", args, err)
		assert.NotContains(t, string(out), "goroutine")
		if asserts {
			assert.Regexp(t, `rocksdb 7.8.3\s+ends\s+the\s+process\s+that\s+opens[^:]*db/write_batch.cc:(?s:.*)Assertion`, string(out))
			continue
		}
		assert.NoError(t, err)
		assert.NotContains(t, string(out), "ends the process")
	}
}

// appendToLog appends a batch of one record to a write-ahead log, in a fragment of its own
// (RocksDB: db/log_format.h, db/write_batch.cc).
func appendToLog(t *testing.T, log, batch string) {
	t.Helper()
	const sequence, whole = 100_000, 1
	payload := binary.LittleEndian.AppendUint64([]byte{whole}, sequence)
	payload = append(binary.LittleEndian.AppendUint32(payload, 1), batch...)
	sum := crc32.Checksum(payload, crc32.MakeTable(crc32.Castagnoli))
	fragment := binary.LittleEndian.AppendUint32(nil, (sum>>15|sum<<17)+0xa282ead8)
	fragment = append(binary.LittleEndian.AppendUint16(fragment, uint16(len(payload)-1)), payload...)
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(fragment)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}
