package chainload

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/chaindata"
	pebblev2 "getio/engine/pebble/v2"
)

// TestInventoryNamesLoss changes a chain in one way at a time after its inventory was taken.
func TestInventoryNamesLoss(t *testing.T) {
	t.Parallel()
	plan := small()
	plan.Accounts, plan.Blocks, plan.Aged, plan.Frozen = 1000, 20, 3, 5
	_, whole := load(t, plan, pebblev2.Engine)
	job := &Job{Plan: plan, Engine: pebblev2.Engine}
	withStore := func(t *testing.T, dir string, f func(ethdb.Database)) {
		t.Helper()
		db, err := openStore(pebblev2.Engine.Name(), dir)
		require.NoError(t, err)
		f(db)
		require.NoError(t, db.Close())
	}
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"nothing": {func(*testing.T, string) {}, ""},
		"a key more": {func(t *testing.T, dir string) {
			withStore(t, dir, func(db ethdb.Database) { require.NoError(t, db.Put([]byte("key"), nil)) })
		}, "other contents than were written"},
		"another value": {func(t *testing.T, dir string) {
			withStore(t, dir, func(db ethdb.Database) {
				it := db.NewIterator(nil, nil)
				defer it.Release()
				require.True(t, it.Next())
				require.NoError(t, db.Put(it.Key(), append(it.Value(), 1)))
			})
		}, "other contents than were written"},
		"no frozen header": {func(t *testing.T, dir string) {
			withStore(t, dir, func(db ethdb.Database) {
				_, err := db.TruncateHead(plan.Frozen - 1)
				require.NoError(t, err)
			})
		}, "changed after it was written"},
		"an empty table of the freezer": {func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(dir, "ancient", "state", "history.meta.0000.rdat"), 0))
			require.NoError(t, os.Truncate(filepath.Join(dir, "ancient", "state", "history.meta.ridx"), chaindata.IndexEntry))
		}, "changed after it was written"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(StoreDir(whole))))
			var there *inventory
			withStore(t, dir, func(db ethdb.Database) {
				var err error
				there, err = job.takeInventory(t.Context(), db, dir)
				require.NoError(t, err)
			})
			c.change(t, dir)
			err := job.requireInventory(t.Context(), dir, there)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}
