//go:build cgo

package mdbxfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/mdbxtest"
)

func newDatabase(t *testing.T) (*mdbx.Env, string) {
	dir := t.TempDir()
	return mdbxtest.New(t, dir, 6_000), dir
}

// TestAgreesWithLibrary compares every count with the library's own, while the library has the
// database open, and after.
func TestAgreesWithLibrary(t *testing.T) {
	env, dir := newDatabase(t)
	require.NoError(t, env.Sync(true, false))
	before := sumsOf(t, dir)
	d, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, before, sumsOf(t, dir), "reading changed the database")
	require.Len(t, d.Tables, len(mdbxtest.Tables))
	byName := map[string]Table{}
	for _, table := range d.Tables {
		byName[table.Name] = table
	}
	require.NoError(t, env.View(func(txn *mdbx.Txn) error {
		assert.Equal(t, txn.ID(), d.Transaction)
		info, err := env.Info(txn)
		require.NoError(t, err)
		assert.EqualValues(t, info.LastPNO+1, d.UsedPages)
		assert.EqualValues(t, info.Geo.Current, d.FileBytes)
		for _, table := range mdbxtest.Tables {
			dbi, err := txn.OpenDBISimple(table.Name, 0)
			require.NoError(t, err)
			want, err := txn.StatDBI(dbi)
			require.NoError(t, err)
			got := byName[table.Name]
			assert.EqualValues(t, want.PSize, d.PageBytes)
			assert.EqualValues(t, want.Depth, got.Depth, table.Name)
			assert.EqualValues(t, want.BranchPages, got.BranchPages, table.Name)
			assert.EqualValues(t, want.LeafPages, got.LeafPages, table.Name)
			assert.EqualValues(t, want.OverflowPages, got.LargePages, table.Name)
			assert.EqualValues(t, want.Entries, got.Entries, table.Name)
			assert.EqualValues(t, table.Flags, got.Flags&(DupSort|DupFixed), table.Name)
		}
		assert.Equal(t, freePages(t, txn), d.FreePages)
		assert.Positive(t, d.FreePages)
		return nil
	}))
	assert.Zero(t, d.UncountedPages())
	env.Close()
	again, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, d.Tables, again.Tables)
}

// withTables calls f with each table that holds entries, a sampler of it and a cursor of the library.
func withTables(t *testing.T, f func(table Table, s *Sampler, c *mdbx.Cursor)) {
	env, dir := newDatabase(t)
	defer env.Close()
	require.NoError(t, env.Sync(true, false))
	d, err := Read(dir)
	require.NoError(t, err)
	for _, table := range d.Tables {
		if table.Entries == 0 {
			continue
		}
		s, err := d.NewSampler(dir, table, 1)
		require.NoError(t, err)
		require.NoError(t, env.View(func(txn *mdbx.Txn) error {
			dbi, err := txn.OpenDBISimple(table.Name, 0)
			require.NoError(t, err)
			c, err := txn.OpenCursor(dbi)
			require.NoError(t, err)
			defer c.Close()
			f(table, s, c)
			return nil
		}))
		require.NoError(t, s.Close())
	}
}

// TestSampler compares how often keys and values are drawn with how often they should be: each key of
// a table alike and, of a key with several values, each of them. The library lists them all.
func TestSampler(t *testing.T) {
	withTables(t, func(table Table, s *Sampler, c *mdbx.Cursor) {
		expected := map[string]float64{} // by key and value
		large := map[string][]byte{}     // values by key, for those that the sampler leaves out
		keys, last := 0, ""
		for {
			key, value, err := c.Get(nil, nil, mdbx.Next)
			if mdbx.IsNotFound(err) {
				break
			}
			require.NoError(t, err)
			values := uint64(1)
			if table.Flags&DupSort != 0 {
				values, err = c.Count()
				require.NoError(t, err)
			}
			expected[string(key)+"/"+string(value)] = 1 / float64(values)
			if string(key) != last {
				keys++
			}
			last, large[string(key)] = string(key), bytes.Clone(value)
		}
		const draws = 20_000
		got := map[string]int{}
		for range draws {
			e, err := s.Next()
			require.NoError(t, err)
			if e.Value == nil {
				e.Value = large[string(e.Key)]
			}
			name := string(e.Key) + "/" + string(e.Value)
			require.NotZero(t, expected[name], "table %s has no key %x with the value %x", table.Name, e.Key, e.Value)
			got[name]++
		}
		squares := 0.0
		for name, share := range expected {
			want := share * draws / float64(keys)
			squares += (float64(got[name]) - want) * (float64(got[name]) - want) / want
		}
		of := float64(len(expected))
		t.Logf("%s: %d keys, chi-squared %.0f of %.0f", table.Name, keys, squares, of)
		assert.Less(t, squares, of+5*math.Sqrt(2*of), table.Name)
	})
}

// freePages adds up the list of free pages, which is the table with the number 0.
func freePages(t *testing.T, txn *mdbx.Txn) (n int64) {
	c, err := txn.OpenCursor(mdbx.DBI(0))
	require.NoError(t, err)
	defer c.Close()
	for {
		_, list, err := c.Get(nil, nil, mdbx.Next)
		if mdbx.IsNotFound(err) {
			return n
		}
		require.NoError(t, err)
		n += int64(binary.LittleEndian.Uint32(list))
	}
}

func sumsOf(t *testing.T, dir string) (sums [][]byte) {
	for _, name := range []string{Name, "mdbx.lck"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		sums = append(sums, data)
	}
	return sums
}

// TestDamage: no damage ends in a panic or an endless walk, and what is not a database is refused.
func TestDamage(t *testing.T) {
	t.Setenv(mdbxtest.KeysEnv, "300")
	env, dir := newDatabase(t)
	require.NoError(t, env.Sync(true, false))
	env.Close()
	whole, err := os.ReadFile(filepath.Join(dir, Name))
	require.NoError(t, err)
	for name, damage := range map[string]func([]byte) []byte{
		"empty":  func(b []byte) []byte { return nil },
		"cut":    func(b []byte) []byte { return b[:5000] },
		"zeroed": func(b []byte) []byte { return make([]byte, len(b)) },
		"states": func(b []byte) []byte {
			for i := range metaPages {
				b[i*4096+headerBytes+transactionAt] ^= 0xff
			}
			return b
		},
		"pages": func(b []byte) []byte { return append(b[:3*4096], bytes.Repeat([]byte{0xff}, len(b)-3*4096)...) },
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, Name), damage(bytes.Clone(whole)), 0o644))
		_, err := Read(dir)
		assert.ErrorContains(t, err, "cannot be read as an MDBX database", name)
	}
	other := bytes.Clone(whole)
	other[headerBytes] = 9
	require.NoError(t, os.WriteFile(filepath.Join(dir, Name), other, 0o644))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "is MDBX, written by another version (format 9, and this getio reads format 3): use a getio made for it")
	random := rand.New(rand.NewPCG(2, 2))
	for range 500 {
		b := bytes.Clone(whole)
		for range 1 + random.IntN(4) {
			b[random.IntN(len(b)/8)] ^= 1 << random.IntN(8)
		}
		requireSound(t, b)
	}
	_, err = Read(t.TempDir())
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// requireSound reads a damaged file. It must return, and what it returns must lie within bounds.
func requireSound(t *testing.T, data []byte) {
	d, _, err := read(bytes.NewReader(data))
	if err != nil {
		return
	}
	for _, table := range d.Tables {
		if table.Depth < 0 || table.BranchPages < 0 || table.LeafPages < 0 || table.LargePages < 0 {
			t.Fatalf("%+v", table)
		}
		s := &Sampler{file: &file{ReaderAt: bytes.NewReader(data), pageBytes: d.PageBytes}, table: table, kept: map[uint32]page{}}
		keys := 0
		enough := errors.New("enough")
		s.file.left = d.UsedPages
		_ = s.file.leaves(table.Tree, func(n node) error {
			for _, value := range [][]byte{n.data, nil, []byte("value")} { // whatever it finds, it returns
				_, _ = s.holds(Entry{Key: bytes.Clone(n.key), Value: value})
			}
			if keys++; keys == 10 {
				return enough
			}
			s.file.left = d.UsedPages
			return nil
		})
	}
	if d.FreePages < 0 || d.UsedPages < 0 {
		t.Fatalf("%d free of %d pages", d.FreePages, d.UsedPages)
	}
}

func FuzzRead(f *testing.F) {
	// Three states and one page of each kind: a leaf with a table, and the table's leaf.
	var small []byte
	for i := range 5 {
		p := make([]byte, 4096)
		binary.LittleEndian.PutUint32(p[numberAt:], uint32(i))
		b := p[headerBytes:]
		switch {
		case i < metaPages:
			binary.LittleEndian.PutUint64(b, magic<<8|FormatVersion)
			binary.LittleEndian.PutUint32(b[geometryAt+16:], 5)
			binary.LittleEndian.PutUint32(b[freeAt+4:], 4096)
			binary.LittleEndian.PutUint32(b[freeAt+8:], noPage)
			b[mainAt+2], b[mainAt+8] = 1, metaPages
		case i == metaPages:
			p[flagsAt], p[lowerAt] = leafPage, 2
			binary.LittleEndian.PutUint16(b, 100)
			n := b[100:]
			n[0], n[4], n[6] = treeBytes, treeNode, 3
			copy(n[nodeBytes:], "tab")
			n[nodeBytes+3+2], n[nodeBytes+3+8] = 1, 4
		default:
			p[flagsAt] = leafPage
		}
		small = append(small, p...)
	}
	d, _, err := read(bytes.NewReader(small))
	require.NoError(f, err)
	require.Equal(f, "tab", d.Tables[0].Name)
	f.Add(small)
	f.Fuzz(func(t *testing.T, data []byte) { requireSound(t, data) })
}

// TestEntriesOfMainTable: entries that a program keeps in the table without a name are counted, and are no tables.
func TestEntriesOfMainTable(t *testing.T) {
	dir := t.TempDir()
	env, err := mdbx.NewEnv(mdbx.Default)
	require.NoError(t, err)
	require.NoError(t, env.SetOption(mdbx.OptMaxDB, 2))
	require.NoError(t, env.Open(dir, mdbx.Create, 0o644))
	require.NoError(t, env.Update(func(txn *mdbx.Txn) error {
		root, err := txn.OpenRoot(0)
		if err != nil {
			return err
		}
		for i := range 300 {
			if err := txn.Put(root, fmt.Appendf(nil, "key %03d", i), []byte("value"), 0); err != nil {
				return err
			}
		}
		_, err = txn.OpenDBISimple("named", mdbx.Create)
		return err
	}))
	env.Close()
	d, err := Read(dir)
	require.NoError(t, err)
	assert.EqualValues(t, 300, d.MainEntries)
	assert.Len(t, d.Tables, 1)
	assert.Zero(t, d.UncountedPages())
}
