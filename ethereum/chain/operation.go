package chain

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
)

// Operation is a request to a client.
type Operation string

// The operations, named like a client's methods. Those of blocks and transactions read what
// go-ethereum's methods of these names read past its caches; those of the state read the
// newest state.
const (
	BlockByHash   Operation = "getBlockByHash"
	BlockByNumber Operation = "getBlockByNumber"
	Transaction   Operation = "getTx"
	Receipts      Operation = "getReceipts" // of a block, by hash
	Balance       Operation = "getBalance"
	StorageAt     Operation = "getStorageAt"
)

// Operations lists all operations.
var Operations = []Operation{BlockByHash, BlockByNumber, Transaction, Receipts, Balance, StorageAt}

// OfState reports whether the operation reads the state rather than the chain.
func (o Operation) OfState() bool { return o == Balance || o == StorageAt }

// Target is the argument of one operation.
type Target struct {
	Number uint64      // block number
	Hash   common.Hash // of a block or transaction, or of an account's address
	Slot   common.Hash // hash of a storage slot's key
}

// do carries out one operation, on the flat state or the tries.
func (c *Chain) do(o Operation, t *Target, flat bool) (err error) {
	found := false
	switch o {
	case BlockByHash:
		found = c.blockByHash(t.Hash)
	case BlockByNumber:
		hash := rawdb.ReadCanonicalHash(c.reader, t.Number)
		found = rawdb.ReadBlock(c.reader, hash, t.Number) != nil
	case Transaction:
		tx, _, _, _ := rawdb.ReadCanonicalTransaction(c.reader, t.Hash)
		found = tx != nil
	case Receipts:
		found = c.receipts(t.Hash)
	case Balance:
		var a *types.StateAccount
		a, err = c.account(t.Hash, flat)
		found = a != nil
	case StorageAt:
		found, err = c.slot(t, flat)
	}
	switch {
	case c.reader.err != nil:
		return c.reader.err
	case err != nil:
		return c.stateError(err)
	case !found:
		return fmt.Errorf("%s of %x (block %d) found nothing: the block was pruned, the database is damaged, or the freezer belongs to another chain", o, t.Hash, t.Number)
	}
	return nil
}

func (c *Chain) blockByHash(hash common.Hash) bool {
	number, ok := rawdb.ReadHeaderNumber(c.reader, hash)
	return ok && rawdb.ReadBlock(c.reader, hash, number) != nil
}

// receipts reads a block's receipts, and the header and body from which go-ethereum derives
// their other fields.
func (c *Chain) receipts(hash common.Hash) bool {
	number, ok := rawdb.ReadHeaderNumber(c.reader, hash)
	if !ok {
		return false
	}
	header := rawdb.ReadHeader(c.reader, hash, number)
	return header != nil && rawdb.ReadReceipts(c.reader, hash, number, header.Time, c.config) != nil
}

// slot reads a storage slot. Like a client, it reads the account first, for its storage root.
func (c *Chain) slot(t *Target, flat bool) (found bool, err error) {
	account, err := c.account(t.Hash, flat)
	if account == nil || err != nil {
		return false, err
	}
	if flat {
		return len(rawdb.ReadStorageSnapshot(c.reader, t.Hash, t.Slot)) > 0, nil
	}
	slots, err := c.slots(t.Hash, account.Root)
	if err != nil {
		return false, err
	}
	value, err := slots.Get(t.Slot[:])
	return len(value) > 0, err
}
