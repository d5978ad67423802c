// Package mdbxdata describes what reth and erigon keep in MDBX databases, and where.
package mdbxdata

import (
	"fmt"
	"os"
	"path/filepath"

	"getio/engine/mdbxfile"
)

// below is where reth and erigon keep their database in their data directories.
var below = []string{"", "db", "chaindata"}

// Find returns the directory of the database in dir, which may be a client's data directory.
func Find(dir string) (string, bool) {
	for _, in := range below {
		at := filepath.Join(dir, in)
		if fi, err := os.Stat(filepath.Join(at, mdbxfile.Name)); err == nil && fi.Mode().IsRegular() {
			return at, true
		}
	}
	return "", false
}

// Describe says what the database in dir is, as the beginning of a sentence.
func Describe(dir string) string {
	return fmt.Sprintf("%s is an MDBX database, as reth and erigon keep them", dir)
}

// StateTables are the tables in which clients keep the newest accounts and storage slots: reth, plain or
// hashed; erigon 2, which keeps both in one table; and erigon 3.
var StateTables = [][]string{
	{"PlainAccountState", "PlainStorageState"},
	{"HashedAccounts", "HashedStorages"},
	{"PlainState"},
	{"AccountVals", "StorageVals"},
}
