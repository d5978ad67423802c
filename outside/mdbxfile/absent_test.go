//go:build cgo

package mdbxfile

import (
	"bytes"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/outside/mdbxfile/mdbxtest"
)

// TestAbsent: the pages hold what is drawn from them, and the library finds no entry that is said to
// be absent. Popular entries are the same again.
func TestAbsent(t *testing.T) {
	env, dir := newDatabase(t)
	defer env.Close()
	require.NoError(t, env.Sync(true, false))
	d, err := Read(dir)
	require.NoError(t, err)
	tested := 0
	for _, table := range d.Tables {
		if table.Entries == 0 {
			continue
		}
		tested++
		s, err := d.NewSampler(dir, table, 1)
		require.NoError(t, err)
		require.NoError(t, env.View(func(txn *mdbx.Txn) error {
			dbi, err := txn.OpenDBISimple(table.Name, 0)
			require.NoError(t, err)
			c, err := txn.OpenCursor(dbi)
			require.NoError(t, err)
			defer c.Close()
			for n := range uint64(2000) {
				e, err := s.Numbered(n % 1000)
				require.NoError(t, err)
				held, err := s.holds(e)
				require.NoError(t, err)
				require.True(t, held, "%s: %x", table.Name, e.Key)
				again, err := s.Numbered(n % 1000)
				require.NoError(t, err)
				require.Equal(t, e, again)
				absent, found, err := s.Absent(e, n%1000)
				require.NoError(t, err)
				require.True(t, found)
				require.Len(t, absent.Key, len(e.Key))
				if table.Flags&DupSort != 0 {
					values, changed := 1, bytes.Equal(absent.Key, e.Key)
					if _, _, err = c.Get(e.Key, nil, mdbx.Set); err == nil {
						var count uint64
						count, err = c.Count()
						values = int(count)
					}
					require.NoError(t, err)
					require.Equal(t, values > 1, changed, "the value changes if there are several")
					require.Len(t, absent.Value, len(e.Value))
					_, _, err = c.Get(absent.Key, absent.Value, mdbx.GetBoth)
				} else {
					_, _, err = c.Get(absent.Key, nil, mdbx.SetKey)
				}
				require.True(t, mdbx.IsNotFound(err), "%s: %x: %v", table.Name, absent.Key, err)
			}
			return nil
		}))
		require.NoError(t, s.Close())
	}
	assert.Equal(t, len(mdbxtest.Tables)-1, tested, "all tables but the empty one")
}

// TestNoneIsAbsent: a table that holds all keys of a length, or all values of a key, has no absent ones,
// and one in another order is refused.
func TestNoneIsAbsent(t *testing.T) {
	dir := t.TempDir()
	mdbxtest.Write(t, dir, func(txn *mdbx.Txn) error {
		full, err := txn.OpenDBISimple("full", mdbx.Create)
		require.NoError(t, err)
		for i := range 256 {
			require.NoError(t, txn.Put(full, []byte{byte(i)}, nil, 0))
		}
		values, err := txn.OpenDBISimple("values", mdbx.Create|mdbx.DupSort)
		require.NoError(t, err)
		for i := range 256 {
			require.NoError(t, txn.Put(values, []byte("key"), []byte{byte(i)}, 0))
		}
		backwards, err := txn.OpenDBISimple("backwards", mdbx.Create|mdbx.ReverseKey)
		require.NoError(t, err)
		return txn.Put(backwards, []byte("key"), nil, 0)
	})
	d, err := Read(dir)
	require.NoError(t, err)
	require.Len(t, d.Tables, 3)
	for _, table := range d.Tables {
		if table.Name == "backwards" {
			assert.ErrorContains(t, table.RequireAbsent(), "no absent keys can be made for table backwards, which does not sort by bytes: choose another one with --table, or leave --absent out")
			continue
		}
		require.NoError(t, table.RequireAbsent())
		s, err := d.NewSampler(dir, table, 1)
		require.NoError(t, err)
		e, err := s.Next()
		require.NoError(t, err)
		_, found, err := s.Absent(e, 1)
		require.NoError(t, err)
		assert.False(t, found, table.Name)
		require.NoError(t, s.Close())
	}
}
