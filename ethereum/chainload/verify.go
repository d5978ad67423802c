package chainload

import (
	"bytes"
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
)

// verifier compares a chain with its plan, through go-ethereum's own code.
type verifier struct {
	*population
	db   ethdb.Database
	root common.Hash
	head common.Hash
	ager *ager // nil if no block changes the state
}

// Number of items to look up, evenly spread.
const (
	verifiedAccounts = 10_000
	verifiedBlocks   = 1000
)

// verify looks up accounts, and one slot of each contract among them, from the state root
// down; go-ethereum checks the hash of every node. Accounts that no block has changed must
// match the plan. Then it reads blocks.
func (j *Job) verify(ctx context.Context, v *verifier) error {
	// Reading alone needs a freezer of states, and only an ager has made one.
	tries := openTries(v.population, v.db, v.ager != nil)
	defer tries.Close()
	accounts, err := trie.New(trie.StateTrieID(v.root), tries)
	if err != nil {
		return fmt.Errorf("cannot read the state that was just written: %w", err)
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
			return fmt.Errorf("the state that was written differs from the plan: %w", err)
		}
	}
	for i, n := uint64(0), min(v.plan.Blocks, verifiedBlocks); i <= n; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := v.block(i * v.plan.Blocks / n); err != nil {
			return fmt.Errorf("the chain that was written differs from the plan: %w", err)
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
	if err := v.planned(i, account); err != nil {
		return err
	}
	if v.plan.Flat && !bytes.Equal(rawdb.ReadAccountSnapshot(v.db, hash), types.SlimAccountRLP(*account)) {
		return fmt.Errorf("account %s differs between the flat state and the trie", v.address(i))
	}
	if i >= v.contracts() {
		return nil
	}
	return v.slot(tries, i, hash, account.Root)
}

func (v *verifier) planned(i uint64, is *types.StateAccount) error {
	if code := common.BytesToHash(is.CodeHash); code != types.EmptyCodeHash && crypto.Keccak256Hash(rawdb.ReadCode(v.db, code)) != code {
		return fmt.Errorf("the code of account %s is missing", v.address(i))
	}
	if v.ager.hasChanged(i) {
		return nil
	}
	var want *types.StateAccount
	if i < v.plan.Accounts {
		want, _ = v.population.account(i)
	} else {
		want = v.allocated(v.address(i))
	}
	switch {
	case is.Nonce != want.Nonce:
		return fmt.Errorf("account %s has nonce %d, want %d", v.address(i), is.Nonce, want.Nonce)
	case !is.Balance.Eq(want.Balance):
		return fmt.Errorf("account %s has balance %s, want %s", v.address(i), is.Balance, want.Balance)
	case !bytes.Equal(is.CodeHash, want.CodeHash):
		return fmt.Errorf("account %s has code %x, want %x", v.address(i), is.CodeHash, want.CodeHash)
	}
	return nil
}

// slot looks up the first slot of a contract. A block may have changed its value.
func (v *verifier) slot(tries *triedb.Database, i uint64, account, root common.Hash) error {
	slots, err := trie.New(trie.StorageTrieID(v.root, account, root), tries)
	if err != nil {
		return err
	}
	key, want := slot(v.address(i), 0)
	blob, err := slots.Get(crypto.Keccak256(key[:]))
	if err != nil {
		return fmt.Errorf("slot 0 of contract %s cannot be read: %w", v.address(i), err)
	}
	if len(blob) == 0 {
		return fmt.Errorf("slot 0 of contract %s is missing", v.address(i))
	}
	var is []byte
	if err := rlp.DecodeBytes(blob, &is); err != nil {
		return err
	}
	if !v.ager.hasChanged(i) && !bytes.Equal(is, want) {
		return fmt.Errorf("slot 0 of contract %s is %x, want %x", v.address(i), is, want)
	}
	return nil
}

// block reads a block and its receipts, from the freezer or the store.
func (v *verifier) block(number uint64) error {
	hash := rawdb.ReadCanonicalHash(v.db, number)
	block := rawdb.ReadBlock(v.db, hash, number)
	if block == nil {
		return fmt.Errorf("block %d is missing", number)
	}
	header := v.contents(number).seal(block.ParentHash(), block.Root()).Header()
	switch {
	case block.Hash() != hash || header.Hash() != hash || number == v.plan.Blocks && hash != v.head:
		return fmt.Errorf("block %d differs", number)
	case types.DeriveSha(block.Transactions(), trie.NewStackTrie(nil)) != header.TxHash:
		return fmt.Errorf("block %d has other transactions", number)
	case types.DeriveSha(rawdb.ReadReceipts(v.db, hash, number, block.Time(), chainConfig), trie.NewStackTrie(nil)) != header.ReceiptHash:
		return fmt.Errorf("block %d has other receipts", number)
	}
	return nil
}
