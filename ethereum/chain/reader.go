package chain

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"

	"getio/client/chaindata"
	"getio/engine"
)

// Frozen counts what was read from the freezer.
type Frozen struct {
	Items int64 // found
	Bytes int64 // decompressed
	Reads int64 // of files: one for the index entry, one for the item
}

// Gets counts the lookups of keys of one category.
type Gets struct {
	Count, Found int64
	Bytes        int64 // of the values
	Reads        int64 // of table files during the lookups
	ReadBytes    int64
}

// reader reads a chain as core/rawdb expects it: keys from the store and old blocks from the
// freezer. It counts both, the lookups of keys by category. It is not safe for concurrent use.
type reader struct {
	db      engine.DB
	gets    map[chaindata.Category]Gets
	reading Gets // the Get in progress, to which reads are attributed
	freezer *freezer
	frozen  Frozen
	// err joins the errors of failed Gets. Most readers of core/rawdb take an error for an
	// absent key, so callers must look at err after each operation.
	err error
}

var _ ethdb.Reader = (*reader)(nil)

// openFreezer opens the freezer and checks that it belongs to the store's chain.
func (r *reader) openFreezer(place Place) error {
	f, err := openFreezer(place.Ancient, place.InUse)
	if err != nil || len(f.tables) == 0 {
		return err
	}
	r.freezer = f
	genesis, err := f.item(rawdb.ChainFreezerHashTable, 0)
	if err != nil && !errors.Is(err, errNotFrozen) {
		return err
	}
	own, _ := r.Get(genesisKey)
	if err == nil && len(own) > 0 && common.BytesToHash(genesis) != common.BytesToHash(own) {
		return fmt.Errorf("the freezer in %s belongs to another chain (its genesis is %x, the database's is %x): name the right one with --ancient", place.Ancient, genesis, own)
	}
	return r.err
}

// genesisKey maps to the hash of block 0 (core/rawdb/schema.go, headerHashKey).
var genesisKey = []byte("h\x00\x00\x00\x00\x00\x00\x00\x00n")

// What follows implements ethdb.AncientReader.

func (r *reader) Ancient(kind string, number uint64) ([]byte, error) {
	before := r.freezer.reads
	item, err := r.freezer.item(kind, number)
	r.frozen.Reads += r.freezer.reads - before
	switch {
	case err == nil:
		r.frozen.Items++
		r.frozen.Bytes += int64(len(item))
	case !errors.Is(err, errNotFrozen):
		r.err = cmp.Or(r.err, err)
	}
	return item, err
}

func (r *reader) AncientRange(kind string, start, count, maxBytes uint64) (items [][]byte, err error) {
	size := uint64(0)
	for n := start; n < start+count; n++ {
		item, err := r.Ancient(kind, n)
		if err != nil {
			if len(items) > 0 && errors.Is(err, errNotFrozen) {
				return items, nil
			}
			return nil, err
		}
		if size += uint64(len(item)); maxBytes > 0 && size > maxBytes && len(items) > 0 {
			return items, nil
		}
		items = append(items, item)
	}
	return items, nil
}

func (r *reader) AncientBytes(kind string, id, offset, length uint64) ([]byte, error) {
	item, err := r.Ancient(kind, id)
	if err != nil {
		return nil, err
	}
	if offset > uint64(len(item)) || length > uint64(len(item))-offset {
		return nil, fmt.Errorf("item %d of %s has no bytes %d to %d", id, kind, offset, offset+length)
	}
	return item[offset : offset+length], nil
}

func (r *reader) Ancients() (uint64, error) { return r.freezer.blocks(), nil }

func (r *reader) Tail(group string) (uint64, error) {
	if group != rawdb.ChainFreezerBlockDataGroup {
		return 0, nil
	}
	return r.freezer.tail(), nil
}

// AncientSize: block readers do not call it.
func (r *reader) AncientSize(string) (uint64, error) { return 0, errors.ErrUnsupported }

func (r *reader) ReadAncients(read func(ethdb.AncientReaderOp) error) error { return read(r) }

var errNotFound = errors.New("not found")

// trace attributes a read to the Get in progress.
func (r *reader) trace(t engine.TableRead) {
	r.reading.Reads++
	r.reading.ReadBytes += int64(t.Length)
}

// Get implements ethdb.KeyValueReader. The caller owns the value.
func (r *reader) Get(key []byte) ([]byte, error) {
	r.reading = Gets{}
	value, found, err := r.db.Get(key, nil)
	switch {
	case err != nil:
		r.err = cmp.Or(r.err, err)
		return nil, err
	case !found:
		value, err = nil, errNotFound
	default:
		r.reading.Found, r.reading.Bytes = 1, int64(len(value))
	}
	category := chaindata.CategoryOf(key, value)
	g, this := r.gets[category], r.reading
	r.gets[category] = Gets{g.Count + 1, g.Found + this.Found, g.Bytes + this.Bytes, g.Reads + this.Reads, g.ReadBytes + this.ReadBytes}
	return value, err
}

// Has implements ethdb.KeyValueReader. It costs as much as a Get.
func (r *reader) Has(key []byte) (bool, error) {
	_, err := r.Get(key)
	if errors.Is(err, errNotFound) {
		return false, nil
	}
	return err == nil, err
}
