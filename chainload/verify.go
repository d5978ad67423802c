package chainload

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
)

// verifier holds a chain against its plan by go-ethereum's own code.
type verifier struct {
	*population
	db   ethdb.Database
	root common.Hash
}

// verifiedAccounts is how many accounts are looked up, spread evenly.
const verifiedAccounts = 10_000

// verify finds accounts, and a slot of each contract among them, down the tries from
// the state's root; every node on the way must have the hash that its parent says.
func (j *Job) verify(ctx context.Context, v *verifier) error {
	tries := openTries(v.population, v.db)
	defer tries.Close()
	accounts, err := trie.New(trie.StateTrieID(v.root), tries)
	if err != nil {
		return fmt.Errorf("the state that was written cannot be read again: %w", err)
	}
	n := min(v.size(), verifiedAccounts)
	for i := range n {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i%256 == 0 {
			j.report("verify", i, n, "accounts")
		}
		if err := v.account(accounts, tries, i*v.size()/n); err != nil {
			return fmt.Errorf("the state that was written is not that of the plan: %w", err)
		}
	}
	return nil
}

func (v *verifier) account(accounts *trie.Trie, tries *triedb.Database, i uint64) error {
	hash := v.hash(i)
	blob, err := accounts.Get(hash[:])
	if err != nil {
		return err
	}
	if len(blob) == 0 {
		return fmt.Errorf("account %s is missing", v.address(i))
	}
	account := new(types.StateAccount)
	if err := rlp.DecodeBytes(blob, account); err != nil {
		return err
	}
	if i >= v.contracts() {
		return nil
	}
	slots, err := trie.New(trie.StorageTrieID(v.root, hash, account.Root), tries)
	if err != nil {
		return err
	}
	key, _ := slot(v.address(i), 0)
	if value, err := slots.Get(crypto.Keccak256(key[:])); err != nil || len(value) == 0 {
		return fmt.Errorf("slot 0 of contract %s is missing (%w)", v.address(i), err)
	}
	return nil
}
