package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/system/pagecache"
)

// gethFrozen: what watch says that geth has read from devices for receipts of old blocks is what the kernel says.
func gethFrozen(t *testing.T, _ *gethChain) {
	const frozen = 3000
	dir := filepath.Join(t.TempDir(), "node")
	require.NoError(t, getio("chain", "build", filepath.Join(dir, "geth"), "--accounts", "20k", "--flat", "--blocks", "3500", "--freezer", fmt.Sprint(frozen)))
	g := startGeth(t, dir, "--cache", gethLeastCache, withoutLogIndex)
	g.quiet(t)
	files, err := pagecache.Open(g.store)
	require.NoError(t, err)
	defer files.Close()
	_, err = files.Drop()
	require.NoError(t, err)
	w := watchApart(t, g)
	before := g.readBytes(t)
	random := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		var receipts []any
		require.NoError(t, g.call(&receipts, "eth_getBlockReceipts", hexutil.Uint64(1+random.IntN(frozen-1))))
		require.NotEmpty(t, receipts)
	}
	read := g.readBytes(t) - before
	r := w.end(t)
	require.NotNil(t, r.Device)
	t.Logf("geth has read %d bytes from devices: %+v", read, r.Device)
	requireWithin(t, 0.05, float64(r.Device.TableBytes+r.Device.FileBytes), float64(read), "bytes of tables and files")
	requireWithin(t, 0.05, float64(r.Device.ProcessBytes), float64(read), "bytes of the process")
	var freezer int64
	for _, f := range r.Files {
		t.Logf("%s: %+v", f.Kind, f.WatchedReads)
		if f.Kind == record.FileFreezer {
			freezer = f.DeviceBytes
		}
	}
	assert.Greater(t, freezer, read/2)
}

// readBytes is what the kernel says that geth has read from devices.
func (g *gethNode) readBytes(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", g.pid))
	require.NoError(t, err)
	_, after, ok := strings.Cut(string(text), "\nread_bytes: ")
	require.True(t, ok)
	_, err = fmt.Sscan(after, &n)
	require.NoError(t, err)
	return n
}
