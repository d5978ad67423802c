package chain

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb/database"

	"getio/client/chaindata"
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

// State is the newest state whose root the database has. It is complete unless the client is
// still syncing. A running client has newer states in memory.
type State struct {
	Scheme string // of the tries: rawdb.HashScheme or rawdb.PathScheme
	Root   common.Hash
	// Flat reports whether the same state also exists as flat state.
	Flat bool
}

// FlatBlob is an account in the flat state, in its slim encoding, by the hash of its address. It is
// empty where the state lacks the account.
func (c *Chain) FlatBlob(hash common.Hash) ([]byte, error) {
	return rawdb.ReadAccountSnapshot(c.reader, hash), c.reader.err
}

// TrieBlob is an account as the trie encodes it, by the hash of its address. It is empty
// where the state lacks the account.
func (c *Chain) TrieBlob(hash common.Hash) ([]byte, error) {
	accounts, err := c.accounts()
	if err != nil {
		return nil, err
	}
	return accounts.Get(hash[:])
}

// Prove writes the nodes of the account trie that prove an account or its absence.
func (c *Chain) Prove(hash common.Hash, to ethdb.KeyValueWriter) error {
	accounts, err := c.accounts()
	if err != nil {
		return err
	}
	return accounts.Prove(hash[:], to)
}

// searchedBlocks is how far back to search for a state under the hash scheme. A node writes one at
// least every hour of block processing (core/blockchain.go, TrieTimeLimit), and when it stops.
const searchedBlocks = 16_384

// FindState finds the state that operations, FlatBlob, TrieBlob and Prove read.
func (c *Chain) FindState() (State, error) {
	if blob := rawdb.ReadAccountTrieNode(c.reader, nil); len(blob) > 0 {
		c.state = State{Scheme: rawdb.PathScheme, Root: crypto.Keccak256Hash(blob)}
	} else if err := c.findHashState(); err != nil {
		return c.state, err
	}
	var generator chaindata.FlatGenerator
	flat := rlp.DecodeBytes(rawdb.ReadSnapshotGenerator(c.reader), &generator) == nil && generator.Done
	c.state.Flat = flat && rawdb.ReadSnapshotRoot(c.reader) == c.state.Root
	return c.state, c.reader.err
}

func (c *Chain) findHashState() error {
	header := c.head
	for range searchedBlocks {
		if len(rawdb.ReadLegacyTrieNode(c.reader, header.Root)) > 0 {
			c.state = State{Scheme: rawdb.HashScheme, Root: header.Root}
			return nil
		}
		if number := header.Number.Uint64(); number == 0 {
			break
		} else if header = rawdb.ReadHeader(c.reader, header.ParentHash, number-1); header == nil {
			break
		}
	}
	return cmp.Or(c.reader.err, fmt.Errorf("%s has no state of its last blocks: let its node finish syncing, then stop it", c.place.Dir))
}

// NodeReader implements database.NodeDatabase. Each node is one Get from the store.
func (c *Chain) NodeReader(common.Hash) (database.NodeReader, error) { return c, nil }

// Node implements database.NodeReader. It returns no node with another hash, so every node
// on a path is proven to belong to the state.
func (c *Chain) Node(owner common.Hash, path []byte, hash common.Hash) ([]byte, error) {
	return rawdb.ReadTrieNode(c.reader, owner, path, hash, c.state.Scheme), nil
}

func (c *Chain) stateError(err error) error {
	missing, ok := errors.AsType[*trie.MissingNodeError](err)
	if !ok || c.reader.err != nil {
		return cmp.Or(c.reader.err, err)
	}
	return fmt.Errorf("the state in %s is incomplete (node %x of the trie of %s is missing): let its client finish syncing and stop it, or leave out %s and %s",
		c.place.Dir, missing.NodeHash, c.state.Root.Hex(), Balance, StorageAt)
}

func (c *Chain) accounts() (*trie.Trie, error) {
	return trie.New(trie.StateTrieID(c.state.Root), c)
}

func (c *Chain) slots(account, root common.Hash) (*trie.Trie, error) {
	return trie.New(trie.StorageTrieID(c.state.Root, account, root), c)
}

// account reads an account from the flat state or the trie, by the hash of its address. It is nil
// where the state lacks the account.
func (c *Chain) account(hash common.Hash, flat bool) (*types.StateAccount, error) {
	read := c.TrieBlob
	if flat {
		read = c.FlatBlob
	}
	blob, err := read(hash)
	if err != nil || len(blob) == 0 {
		return nil, err
	}
	if flat {
		return types.FullAccount(blob)
	}
	account := new(types.StateAccount)
	return account, rlp.DecodeBytes(blob, account)
}
