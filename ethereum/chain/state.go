package chain

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb/database"

	"getio/ethereum/chaindata"
)

// State is the newest state of which the database has the root: all of it, unless its
// client has not finished to sync. A client that runs has newer ones in memory.
type State struct {
	Scheme string // of its tries: rawdb.HashScheme or rawdb.PathScheme
	Root   common.Hash
	// Flat tells whether accounts and slots are also there by themselves, and of the
	// same state.
	Flat bool
}

// searchedBlocks is how many blocks back a state is searched for whose tries are
// there, under the hash scheme: a node writes one an hour of processing at least
// (core/blockchain.go, TrieTimeLimit), and when it stops.
const searchedBlocks = 16_384

// findState finds the state.
func (c *Chain) findState() error {
	if blob := rawdb.ReadAccountTrieNode(c.reader, nil); len(blob) > 0 {
		c.state = State{Scheme: rawdb.PathScheme, Root: crypto.Keccak256Hash(blob)}
	} else if err := c.findHashState(); err != nil {
		return err
	}
	c.state.Flat = c.flatDone() && rawdb.ReadSnapshotRoot(c.reader) == c.state.Root
	return c.reader.err
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
	return errors.Join(c.reader.err, fmt.Errorf("%s has the state of none of its last blocks: let its node finish syncing, and stop it", c.place.Dir))
}

// flatDone tells whether all flat state has been made of the tries.
func (c *Chain) flatDone() bool {
	var generator chaindata.FlatGenerator
	return rlp.DecodeBytes(rawdb.ReadSnapshotGenerator(c.reader), &generator) == nil && generator.Done
}

// NodeReader implements database.NodeDatabase: nodes come from the store, one Get
// each.
func (c *Chain) NodeReader(common.Hash) (database.NodeReader, error) { return c, nil }

// Node implements database.NodeReader. A node of another hash than asked for is not
// returned, so that every node on a way is proven to be of the state.
func (c *Chain) Node(owner common.Hash, path []byte, hash common.Hash) ([]byte, error) {
	return rawdb.ReadTrieNode(c.reader, owner, path, hash, c.state.Scheme), nil
}

// stateError says what a node that is missing from a trie means.
func (c *Chain) stateError(err error) error {
	var missing *trie.MissingNodeError
	if !errors.As(err, &missing) || c.reader.err != nil {
		return errors.Join(c.reader.err, err)
	}
	return fmt.Errorf("the state in %s is not whole (node %x of the trie of %s is missing): let its client finish syncing and stop it, or leave %s and %s out",
		c.place.Dir, missing.NodeHash, c.state.Root.Hex(), Balance, StorageAt)
}

// accounts is the trie of the state's accounts.
func (c *Chain) accounts() (*trie.Trie, error) {
	return trie.New(trie.StateTrieID(c.state.Root), c)
}

// slots is the trie of an account's storage.
func (c *Chain) slots(account, root common.Hash) (*trie.Trie, error) {
	return trie.New(trie.StorageTrieID(c.state.Root, account, root), c)
}

// trieAccount reads an account, by the hash of its address, down the trie. It is nil
// if there is none.
func (c *Chain) trieAccount(hash common.Hash) (*types.StateAccount, error) {
	accounts, err := c.accounts()
	if err != nil {
		return nil, err
	}
	blob, err := accounts.Get(hash[:])
	if err != nil || len(blob) == 0 {
		return nil, err
	}
	account := new(types.StateAccount)
	return account, rlp.DecodeBytes(blob, account)
}

// flatAccount reads an account by itself.
func (c *Chain) flatAccount(hash common.Hash) (*types.StateAccount, error) {
	blob := rawdb.ReadAccountSnapshot(c.reader, hash)
	if len(blob) == 0 {
		return nil, nil
	}
	return types.FullAccount(blob)
}
