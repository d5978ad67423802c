//go:build cgo

package mdbxfile

import (
	"bytes"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/mdbxtest"
)

// TestAbsent: the pages hold what is drawn from them, and the library finds no entry that is said to
// be absent. The same number gives the same entry.
func TestAbsent(t *testing.T) {
	tested := 0
	withTables(t, func(table Table, s *Sampler, c *mdbx.Cursor) {
		tested++
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
			lookUp := uint(mdbx.SetKey)
			if table.Flags&DupSort != 0 {
				lookUp = mdbx.GetBoth
				_, _, err = c.Get(e.Key, nil, mdbx.Set)
				require.NoError(t, err)
				values, err := c.Count()
				require.NoError(t, err)
				require.Equal(t, values > 1, bytes.Equal(absent.Key, e.Key), "the value changes if there are several")
				require.Len(t, absent.Value, len(e.Value))
			}
			_, _, err = c.Get(absent.Key, absent.Value, lookUp)
			require.True(t, mdbx.IsNotFound(err), "%s: %x: %v", table.Name, absent.Key, err)
		}
	})
	assert.Equal(t, len(mdbxtest.Tables)-1, tested, "all tables but the empty one")
}

// TestNoneIsAbsent: no absent entry is found for a table that holds all keys of one byte, or all values
// of a key, and a table in another order is refused.
func TestNoneIsAbsent(t *testing.T) {
	dir := t.TempDir()
	mdbxtest.NoneAbsent(t, dir)
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
