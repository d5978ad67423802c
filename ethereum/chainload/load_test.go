package chainload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/internal/enginetest"
	"getio/record"
)

func TestMain(m *testing.M) {
	enginetest.InMemory()
	os.Exit(m.Run())
}

// small is a small plan. Its blocks outlast the 128 states that geth keeps in memory.
func small() Plan {
	return Plan{ChainPlan: record.ChainPlan{
		Accounts: 2000, Contracts: 0.1, Slots: 8, Blocks: 300, Txs: 5, Aged: 140, Scheme: rawdb.PathScheme, Seed: 7,
	}}
}

func load(t *testing.T, p Plan, e engine.Engine) (*record.ChainMade, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "chain")
	made, err := (&Job{Plan: p, Engine: e, Dir: dir}).Run(context.Background())
	require.NoError(t, err)
	return made, dir
}

// TestSchemesStoreTheSameChain checks that the state root and the head's hash depend on the
// plan alone: not on the scheme, flat state, old states, the store or the freezer. Each
// scheme uses different code of go-ethereum.
func TestSchemesStoreTheSameChain(t *testing.T) {
	t.Parallel()
	first, _ := load(t, small(), pebblev2.Engine)
	for name, c := range map[string]struct {
		engine engine.Engine
		change func(*Plan)
	}{
		"again":             {pebblev2.Engine, func(*Plan) {}},
		"path and flat":     {pebblev1.Engine, func(p *Plan) { p.Flat = true }},
		"path and frozen":   {pebblev2.Engine, func(p *Plan) { p.Frozen = 280 }},
		"hash":              {pebblev1.Engine, func(p *Plan) { p.Scheme = rawdb.HashScheme }},
		"hash and flat":     {pebblev2.Engine, func(p *Plan) { p.Scheme, p.Flat = rawdb.HashScheme, true }},
		"hash, all of them": {pebblev2.Engine, func(p *Plan) { p.Scheme, p.Archive = rawdb.HashScheme, true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := small()
			c.change(&p)
			made, dir := load(t, p, c.engine)
			if made.Root != first.Root || made.Head != first.Head {
				t.Errorf("root %s and head %s, otherwise %s and %s", made.Root, made.Head, first.Root, first.Head)
			}
			again, err := ReadMade(dir)
			require.NoError(t, err)
			if *again != *made {
				t.Errorf("chain.json says %+v, made was %+v", again, made)
			}
		})
	}
	other := small()
	other.Seed++
	if made, _ := load(t, other, pebblev2.Engine); made.Root == first.Root || made.Head == first.Head {
		t.Error("another seed makes the same chain")
	}
}

// TestStateMatchesPlan iterates over the tries with go-ethereum and finds exactly the
// accounts and slots of the plan, which the flat state has too.
func TestStateMatchesPlan(t *testing.T) {
	t.Parallel()
	p := small()
	p.Flat, p.Aged = true, 0
	extra := common.HexToAddress("0x1234")
	p.Alloc = types.GenesisAlloc{extra: {
		Balance: common.Big2, Nonce: 3, Code: []byte{1, 2, 3},
		Storage: map[common.Hash]common.Hash{{1}: {31: 9}, {2}: {}},
	}}
	p.Allocated = 1
	made, dir := load(t, p, pebblev2.Engine)
	db, err := openStore("pebblev2", StoreDir(dir))
	require.NoError(t, err)
	defer db.Close()
	pop := newPopulation(&p)
	want := map[common.Hash]uint64{} // accounts by the hash of their address
	for i := range pop.size() {
		want[pop.hash(i)] = i
	}
	tries := openTries(pop, db, false)
	defer tries.Close()
	root := common.HexToHash(made.Root)
	accounts, err := trie.New(trie.StateTrieID(root), tries)
	require.NoError(t, err)
	slots := 0
	each(t, accounts, func(hash common.Hash, value []byte) {
		i, there := want[hash]
		require.True(t, there, "the trie has account %x, which the plan has not", hash)
		delete(want, hash)
		account := new(types.StateAccount)
		require.NoError(t, rlp.DecodeBytes(value, account))
		assert.Equal(t, types.SlimAccountRLP(*account), rawdb.ReadAccountSnapshot(db, hash), "account %d", i)
		if account.CodeHash != nil && common.BytesToHash(account.CodeHash) != types.EmptyCodeHash {
			if code := rawdb.ReadCode(db, common.BytesToHash(account.CodeHash)); crypto.Keccak256Hash(code) != common.BytesToHash(account.CodeHash) {
				t.Errorf("account %d has no code", i)
			}
		}
		slots += requireSlots(t, pop, tries, root, i, hash, account)
	})
	assert.Empty(t, want)
	assert.GreaterOrEqual(t, slots, 1000)
}

// requireSlots compares an account and its storage with the plan, and returns the number of
// its slots.
func requireSlots(t *testing.T, pop *population, tries *triedb.Database, root common.Hash, i uint64, hash common.Hash, account *types.StateAccount) int {
	t.Helper()
	wantSlots := map[common.Hash][]byte{}
	if i < pop.plan.Accounts {
		want, n := pop.account(i)
		if account.Nonce != want.Nonce || !account.Balance.Eq(want.Balance) || !slices.Equal(account.CodeHash, want.CodeHash) {
			t.Errorf("account %d is %+v, the plan has %+v", i, account, want)
		}
		for j := range n {
			key, value := slot(pop.address(i), j)
			wantSlots[crypto.Keccak256Hash(key[:])] = value
		}
	} else {
		if account.Nonce != 3 || account.Balance.Uint64() != 2 {
			t.Errorf("the allocated account is %+v", account)
		}
		key := common.Hash{1}
		wantSlots[crypto.Keccak256Hash(key[:])] = []byte{9}
	}
	n := len(wantSlots)
	if n == 0 {
		return 0
	}
	storage, err := trie.New(trie.StorageTrieID(root, hash, account.Root), tries)
	require.NoError(t, err)
	each(t, storage, func(key common.Hash, value []byte) {
		var got []byte
		require.NoError(t, rlp.DecodeBytes(value, &got))
		assert.Equal(t, wantSlots[key], got, "account %d, slot %x", i, key)
		delete(wantSlots, key)
	})
	assert.Empty(t, wantSlots, "account %d lacks slots", i)
	return n
}

func each(t *testing.T, of *trie.Trie, do func(key common.Hash, value []byte)) {
	t.Helper()
	nodes, err := of.NodeIterator(nil)
	require.NoError(t, err)
	leaves := trie.NewIterator(nodes)
	for leaves.Next() {
		do(common.BytesToHash(leaves.Key), leaves.Value)
	}
	require.NoError(t, leaves.Err)
}

// TestBlocksMatchPlan finds every block by number and by hash, with its receipts, and every
// transaction by its hash.
func TestBlocksMatchPlan(t *testing.T) {
	t.Parallel()
	p := small()
	p.Frozen = 100
	_, dir := load(t, p, pebblev2.Engine)
	db, err := openStore("pebblev2", StoreDir(dir))
	require.NoError(t, err)
	defer db.Close()
	if head := rawdb.ReadHeadBlock(db); head == nil || head.NumberU64() != p.Blocks {
		t.Fatalf("the head is %v", head)
	}
	if n, err := db.Ancients(); err != nil || n != p.Frozen {
		t.Errorf("%d blocks are frozen, error %v", n, err)
	}
	parent := common.Hash{}
	for number := range p.Blocks + 1 {
		hash := rawdb.ReadCanonicalHash(db, number)
		block := rawdb.ReadBlock(db, hash, number)
		if block == nil || block.Hash() != hash || block.ParentHash() != parent {
			t.Fatalf("block %d is %v", number, block)
		}
		parent = hash
		if at, ok := rawdb.ReadHeaderNumber(db, hash); !ok || at != number {
			t.Errorf("block %d is found at %d", number, at)
		}
		receipts := rawdb.ReadReceipts(db, hash, number, block.Time(), chainConfig)
		if number > 0 && (len(receipts) != int(p.Txs) || len(block.Transactions()) != int(p.Txs)) {
			t.Fatalf("block %d has %d transactions and %d receipts", number, len(block.Transactions()), len(receipts))
		}
		if number > 0 && types.DeriveSha(receipts, trie.NewStackTrie(nil)) != block.ReceiptHash() {
			t.Errorf("block %d has other receipts than its header says", number)
		}
		for i, tx := range block.Transactions() {
			if _, in, _, at := rawdb.ReadCanonicalTransaction(db, tx.Hash()); in != hash || at != uint64(i) {
				t.Errorf("transaction %d of block %d is found as %d of %x", i, number, at, in)
			}
		}
	}
}

func TestCheckRefusesPlans(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"no accounts":                  func(p *Plan) { p.Accounts = 1 },
		"more contracts than accounts": func(p *Plan) { p.Contracts = 1.1 },
		"no slots":                     func(p *Plan) { p.Slots = 0 },
		"no blocks":                    func(p *Plan) { p.Blocks = 0 },
		"too many transactions":        func(p *Plan) { p.Txs = 1e6 },
		"all frozen":                   func(p *Plan) { p.Frozen = p.Blocks + 1 },
		"too few frozen":               func(p *Plan) { p.Blocks = 100_001; p.Frozen = 10_000 },
		"aged too much":                func(p *Plan) { p.Aged = p.Blocks + 1 },
		"aged by nothing":              func(p *Plan) { p.Txs = 0 },
		"no scheme":                    func(p *Plan) { p.Scheme = "verkle" },
		"an archive of paths":          func(p *Plan) { p.Archive = true },
	} {
		t.Run(name, func(t *testing.T) {
			p := small()
			change(&p)
			dir := t.TempDir()
			_, err := (&Job{Plan: p, Engine: pebblev2.Engine, Dir: filepath.Join(dir, "chain")}).Run(context.Background())
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			requireNothing(t, dir)
		})
	}
}

func TestFailedJobLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	job := &Job{Plan: small(), Engine: pebblev2.Engine, Dir: filepath.Join(dir, "chain")}
	job.Progress = func(phase string, done, _ uint64, _ string) {
		if phase == "blocks" && done > 20 {
			cancel()
		}
	}
	if _, err := job.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	requireNothing(t, dir)

	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	job = &Job{Plan: small(), Engine: pebblev2.Engine, Dir: filepath.Join(dir, "missing", "below", "chain")}
	if _, err := job.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	requireNothing(t, dir)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600))
	for _, at := range []string{dir, filepath.Join(dir, "file"), filepath.Join(dir, "file", "chain")} {
		job = &Job{Plan: small(), Engine: pebblev2.Engine, Dir: at}
		_, err := job.Run(context.Background())
		assert.Error(t, err, "a chain was made over %s", at)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(text) != "x" {
		t.Errorf("the file holds %q, error %v", text, err)
	}
}

func requireNothing(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		t.Errorf("%s is left", e.Name())
	}
}
