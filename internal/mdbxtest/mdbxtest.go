//go:build cgo

// Package mdbxtest writes MDBX databases with tables like those of clients.
package mdbxtest

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/require"
)

// KeysEnv is the number of keys of each table, for more than a test asks for.
const KeysEnv = "GETIO_MDBX_KEYS"

// Tables resemble those of reth and erigon: state by address, storage and changes with several values
// of a key, accounts and storage in one table, code in large values, and an empty one.
var Tables = []struct {
	Name  string
	Flags uint
	every int // of so many keys, the table has one
	put   func(random *rand.Rand, i int) (key, value []byte)
}{
	{"PlainAccountState", 0, 1, func(r *rand.Rand, i int) ([]byte, []byte) { return bytesOf(r, 20), bytesOf(r, 10+r.IntN(60)) }},
	{"PlainStorageState", mdbx.DupSort, 1, func(r *rand.Rand, i int) ([]byte, []byte) { return contract(r, i), bytesOf(r, 64) }},
	{"PlainState", mdbx.DupSort, 2, func(r *rand.Rand, i int) ([]byte, []byte) {
		if i%4 == 0 {
			return bytesOf(r, 20), bytesOf(r, 10+r.IntN(60))
		}
		return append(contract(r, i), 0, 0, 0, 0, 0, 0, 0, 1), bytesOf(r, 33+r.IntN(32))
	}},
	{"AccountChangeSet", mdbx.DupSort, 1, func(r *rand.Rand, i int) ([]byte, []byte) {
		return binary.BigEndian.AppendUint64(nil, uint64(i/100)), bytesOf(r, 50)
	}},
	{"TxHashNumber", mdbx.DupSort | mdbx.DupFixed, 1, func(r *rand.Rand, i int) ([]byte, []byte) {
		return binary.BigEndian.AppendUint64(nil, uint64(i/7)), bytesOf(r, 8)
	}},
	{"Bytecodes", 0, 20, func(r *rand.Rand, i int) ([]byte, []byte) {
		return bytesOf(r, 32), bytesOf(r, 100+r.IntN(24000)/(1+i/20%20))
	}},
	{"Empty", 0, 1, nil},
}

// contract is the address of a contract. Those of low numbers have most of the slots.
func contract(r *rand.Rand, i int) []byte {
	address := make([]byte, 20)
	binary.BigEndian.PutUint32(address, uint32(r.IntN(1+i/50)))
	return address
}

func bytesOf(r *rand.Rand, n int) []byte {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, r.Uint64())
	}
	return b[:n]
}

// NoneAbsent writes a database with three tables for which no absent entry can be made: full holds all
// keys of one byte, values all values of one byte of a key, and backwards sorts from the last byte on.
func NoneAbsent(t testing.TB, dir string) {
	t.Helper()
	env, err := mdbx.NewEnv(mdbx.Default)
	require.NoError(t, err)
	defer env.Close()
	require.NoError(t, env.SetOption(mdbx.OptMaxDB, 3))
	require.NoError(t, env.Open(dir, mdbx.Create, 0o644))
	require.NoError(t, env.Update(func(txn *mdbx.Txn) error {
		full, err := txn.OpenDBISimple("full", mdbx.Create)
		require.NoError(t, err)
		values, err := txn.OpenDBISimple("values", mdbx.Create|mdbx.DupSort)
		require.NoError(t, err)
		for i := range 256 {
			require.NoError(t, txn.Put(full, []byte{byte(i)}, nil, 0))
			require.NoError(t, txn.Put(values, []byte("key"), []byte{byte(i)}, 0))
		}
		backwards, err := txn.OpenDBISimple("backwards", mdbx.Create|mdbx.ReverseKey)
		require.NoError(t, err)
		return txn.Put(backwards, []byte("key"), nil, 0)
	}))
}

// New writes a database into the directory with about so many keys in each table, then removes a third
// of one table, so that pages are free. The environment stays open.
func New(t testing.TB, dir string, keys int) *mdbx.Env {
	t.Helper()
	if text := os.Getenv(KeysEnv); text != "" {
		var err error
		keys, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	env, err := mdbx.NewEnv(mdbx.Default)
	require.NoError(t, err)
	require.NoError(t, env.SetOption(mdbx.OptMaxDB, 100))
	require.NoError(t, env.SetGeometry(-1, -1, 64<<30, -1, -1, 4096))
	require.NoError(t, env.Open(dir, mdbx.Create|mdbx.SafeNoSync, 0o644))
	random := rand.New(rand.NewPCG(1, 1))
	const batch = 10_000 // puts per transaction
	for _, table := range Tables {
		for from := 0; from < keys; from += batch {
			require.NoError(t, env.Update(func(txn *mdbx.Txn) error {
				dbi, err := txn.OpenDBISimple(table.Name, mdbx.Create|table.Flags)
				if err != nil || table.put == nil {
					return err
				}
				for i := from; i < min(from+batch, keys); i += table.every {
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
		for range keys / 20 / 3 {
			if _, _, err = c.Get(nil, nil, mdbx.Next); err != nil {
				return err
			}
			if err = c.Del(0); err != nil {
				return err
			}
		}
		return nil
	}))
	return env
}
