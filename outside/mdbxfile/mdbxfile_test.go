//go:build cgo

package mdbxfile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keysEnv is the number of keys of each table, for more than the default.
const keysEnv = "GETIO_MDBX_KEYS"

// tables resemble those of reth and erigon: state by address, storage and changes with several values
// of a key, code in large values, and an empty one.
var tables = []struct {
	name  string
	flags uint
	put   func(random *rand.Rand, i int) (key, value []byte)
}{
	{"PlainAccountState", 0, func(r *rand.Rand, i int) ([]byte, []byte) { return bytesOf(r, 20), bytesOf(r, 10+r.IntN(60)) }},
	{"PlainStorageState", mdbx.DupSort, func(r *rand.Rand, i int) ([]byte, []byte) {
		address := make([]byte, 20)
		binary.BigEndian.PutUint32(address, uint32(r.IntN(1+i/50)))
		return address, bytesOf(r, 64)
	}},
	{"AccountChangeSet", mdbx.DupSort, func(r *rand.Rand, i int) ([]byte, []byte) {
		return binary.BigEndian.AppendUint64(nil, uint64(i/100)), bytesOf(r, 50)
	}},
	{"TxHashNumber", mdbx.DupSort | mdbx.DupFixed, func(r *rand.Rand, i int) ([]byte, []byte) {
		return binary.BigEndian.AppendUint64(nil, uint64(i/7)), bytesOf(r, 8)
	}},
	{"Bytecodes", 0, func(r *rand.Rand, i int) ([]byte, []byte) {
		return bytesOf(r, 32), bytesOf(r, 100+r.IntN(24000)/(1+i%20))
	}},
	{"Empty", 0, nil},
}

func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// newDatabase fills tables, then removes a third of one, so that pages are free.
func newDatabase(t *testing.T) (*mdbx.Env, string) {
	keys := 6_000
	if text := os.Getenv(keysEnv); text != "" {
		var err error
		keys, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	dir := t.TempDir()
	env, err := mdbx.NewEnv(mdbx.Default)
	require.NoError(t, err)
	require.NoError(t, env.SetOption(mdbx.OptMaxDB, 100))
	require.NoError(t, env.SetGeometry(-1, -1, 64<<30, -1, -1, 4096))
	require.NoError(t, env.Open(dir, mdbx.Create|mdbx.SafeNoSync, 0o644))
	random := rand.New(rand.NewPCG(1, 1))
	const batch = 10_000 // puts per transaction
	for _, table := range tables {
		for from := 0; from < keys; from += batch {
			require.NoError(t, env.Update(func(txn *mdbx.Txn) error {
				dbi, err := txn.OpenDBISimple(table.name, mdbx.Create|table.flags)
				if err != nil || table.put == nil {
					return err
				}
				for i := from; i < min(from+batch, keys); i++ {
					key, value := table.put(random, i)
					if err := txn.Put(dbi, key, value, 0); err != nil {
						return err
					}
				}
				return nil
			}))
		}
	}
	require.NoError(t, env.Update(func(txn *mdbx.Txn) error {
		dbi, err := txn.OpenDBISimple("Bytecodes", 0)
		if err != nil {
			return err
		}
		c, err := txn.OpenCursor(dbi)
		if err != nil {
			return err
		}
		defer c.Close()
		for range keys / 3 {
			if _, _, err = c.Get(nil, nil, mdbx.Next); err != nil {
				return err
			}
			if err = c.Del(0); err != nil {
				return err
			}
		}
		return nil
	}))
	return env, dir
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
	require.Len(t, d.Tables, len(tables))
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
		for _, table := range tables {
			dbi, err := txn.OpenDBISimple(table.name, 0)
			require.NoError(t, err)
			want, err := txn.StatDBI(dbi)
			require.NoError(t, err)
			got := byName[table.name]
			assert.EqualValues(t, want.PSize, d.PageBytes)
			assert.EqualValues(t, want.Depth, got.Depth, table.name)
			assert.EqualValues(t, want.BranchPages, got.BranchPages, table.name)
			assert.EqualValues(t, want.LeafPages, got.LeafPages, table.name)
			assert.EqualValues(t, want.OverflowPages, got.LargePages, table.name)
			assert.EqualValues(t, want.Entries, got.Entries, table.name)
			assert.EqualValues(t, table.flags, got.Flags&(DupSort|DupFixed), table.name)
		}
		assert.Equal(t, freePages(t, txn), d.FreePages)
		assert.Positive(t, d.FreePages)
		return nil
	}))
	r, err := Inspect(dir)
	require.NoError(t, err)
	assert.Zero(t, r.UncountedPages)
	env.Close()
	again, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, d.Tables, again.Tables)
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
	t.Setenv(keysEnv, "300")
	env, dir := newDatabase(t)
	require.NoError(t, env.Sync(true, false))
	env.Close()
	whole, err := os.ReadFile(filepath.Join(dir, Name))
	require.NoError(t, err)
	for name, damage := range map[string]func([]byte) []byte{
		"empty":   func(b []byte) []byte { return nil },
		"cut":     func(b []byte) []byte { return b[:5000] },
		"zeroed":  func(b []byte) []byte { return make([]byte, len(b)) },
		"version": func(b []byte) []byte { b[headerBytes] = 9; return b },
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
	_, ok := Find(t.TempDir())
	assert.False(t, ok)
	above := t.TempDir()
	require.NoError(t, os.Rename(dir, filepath.Join(above, "chaindata")))
	found, ok := Find(above)
	assert.True(t, ok)
	assert.Equal(t, filepath.Join(above, "chaindata"), found)
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
			binary.LittleEndian.PutUint64(b, magic<<8|formatVersion)
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
