package chain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"

	"getio/chaindata"
)

// Frozen is what was asked of the freezer. An item that is there costs two reads of
// files, of its index entry and of itself, beside any key-value store.
type Frozen struct {
	Items int64 // that were there
	Bytes int64 // of them, decompressed
}

// reader is a chain as core/rawdb reads it: keys from the store, old blocks from the
// freezer, and both counted.
type reader struct {
	*keyValues
	frozen Frozen
	chain  ethdb.Database // the freezer, if there is one
}

var _ ethdb.Reader = (*reader)(nil)

// flock is the freezer's lock file. go-ethereum makes one where there is none
// (core/rawdb/freezer.go, NewFreezer), which a reader must not.
const flock = "FLOCK"

// openFreezer opens the chain's freezer below dir, read-only, for a store of the same
// chain. Without a freezer the reader has no old blocks.
func (r *reader) openFreezer(dir string) error {
	tables, err := chaindata.Freezers(dir)
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		r.chain = rawdb.NewDatabase(readOnly{r.keyValues})
		return nil
	}
	at := filepath.Join(dir, tables[0].Freezer)
	if _, err := os.Stat(filepath.Join(at, flock)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the freezer in %s has no lock file %s, which go-ethereum would make: copy it whole, or make an empty one", at, flock)
	}
	r.chain, err = rawdb.Open(readOnly{r.keyValues}, rawdb.OpenOptions{Ancient: dir, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("the freezer in %s does not go with the database, or another process has it open (%w)", dir, err)
	}
	return nil
}

// Ancient implements ethdb.AncientReaderOp.
func (r *reader) Ancient(kind string, number uint64) ([]byte, error) {
	item, err := r.chain.Ancient(kind, number)
	r.count(item)
	return item, err
}

// AncientRange implements ethdb.AncientReaderOp.
func (r *reader) AncientRange(kind string, start, count, maxBytes uint64) ([][]byte, error) {
	items, err := r.chain.AncientRange(kind, start, count, maxBytes)
	r.count(items...)
	return items, err
}

// AncientBytes implements ethdb.AncientReaderOp.
func (r *reader) AncientBytes(kind string, id, offset, length uint64) ([]byte, error) {
	item, err := r.chain.AncientBytes(kind, id, offset, length)
	r.count(item)
	return item, err
}

func (r *reader) count(items ...[]byte) {
	for _, item := range items {
		if len(item) > 0 {
			r.frozen.Items++
			r.frozen.Bytes += int64(len(item))
		}
	}
}

// Ancients implements ethdb.AncientReaderOp.
func (r *reader) Ancients() (uint64, error) { return r.chain.Ancients() }

// Tail implements ethdb.AncientReaderOp.
func (r *reader) Tail(group string) (uint64, error) { return r.chain.Tail(group) }

// AncientSize implements ethdb.AncientReaderOp.
func (r *reader) AncientSize(kind string) (uint64, error) { return r.chain.AncientSize(kind) }

// ReadAncients implements ethdb.AncientReader.
func (r *reader) ReadAncients(read func(ethdb.AncientReaderOp) error) error {
	return r.chain.ReadAncients(func(ethdb.AncientReaderOp) error { return read(r) })
}
