package twin

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/numbers/published"
	"getio/predict/cachesim"
	"getio/workload"
)

// TestPublishedAccounts compares the bytes that a disk read for accounts of a mainnet node with the pages that a prediction
// from the shape says are touched: no page was in memory before, and all stayed there.
func TestPublishedAccounts(t *testing.T) {
	replays, err := published.ReplayedAccounts()
	require.NoError(t, err)
	for _, r := range replays {
		shape, format := accountShape(&r)
		tree := newTree(t, shape, Options{Library: PebbleV2, BlockBytes: format.DataBlockBytes})
		// The replay fills no more than a part of a cache of --cache 2048.
		cache := Cache{cachesim.NameClockPro, 1 << 30, 8, 8}
		plan := Plan{Gets: r.AccountsRead}
		p, err := plan.Predict(context.Background(), tree, workload.Keys{Seed: 1}, []Cache{cache}, nil)
		require.NoError(t, err)
		got := (&Subject{Shape: shape, Tree: tree}).Record(&p[0], plan)
		want := float64(r.DiskReadBytes) / float64(r.AccountsRead)
		t.Logf("%.0f bytes per account in %.3f blocks of %.0f bytes, published %.0f (%+.2f%%); %.0f without a page cache", *got.FirstPageBytesPerGet,
			*got.IOsPerGet.Window, *got.BytesPerGet, want, 100*(*got.FirstPageBytesPerGet/want-1), *got.PageBytesPerGet)
		assert.InEpsilon(t, want, *got.FirstPageBytesPerGet, 0.03)
	}
}

// accountShape returns the tables of all accounts, whose keys are hashes behind a letter, and their format.
func accountShape(r *published.AccountReads) (*lsm.Shape, *lsm.TableFormat) {
	const key = 1 + 32
	format := &lsm.TableFormat{KeyBytes: key, ValueBytes: int64(r.RecordBytes) - key, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16}
	blocks := float64(r.Accounts) / r.EntriesPerBlock
	count := math.Round(blocks * r.BlockBytes / float64(r.TableBytes))
	bound := func(share float64) lsm.Key {
		return binary.BigEndian.AppendUint64([]byte{'a'}, uint64(share*(1<<63))<<1)
	}
	var tables [lsm.NumLevels][]lsm.Table
	for i := range int(count) {
		tables[lsm.NumLevels-1] = append(tables[lsm.NumLevels-1], lsm.Table{
			Smallest: bound(float64(i) / count), Largest: bound((float64(i) + 0.999999) / count),
			Records: int64(float64(r.Accounts) / count), RawBytes: int64(float64(r.Accounts) / count * r.RecordBytes),
			DataBlocks: int64(blocks / count), Bytes: int64(blocks / count * r.BlockBytes),
		})
	}
	// The estimate takes the index from these bytes, and they are of data alone.
	return format.EstimateShape(lsm.NewShape(tables)).EachTable(func(_ int, t *lsm.Table) {
		t.Bytes, t.DataBytes = 2*t.Bytes-t.DataBytes, t.Bytes
	}), format
}
