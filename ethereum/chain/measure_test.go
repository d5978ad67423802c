package chain

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"

	"getio/engine"
	"getio/engine/enginetest"
	"getio/ethereum/chaindata"
	"getio/record"
)

// measured runs 400 operations after a warm-up of 400.
func measured(t *testing.T, what string, o Operation, flat bool, cache int64) *record.Chain {
	t.Helper()
	c, s := open(t, what, 8<<20)
	list, err := c.Targets(context.Background(), o, Popularity{Seed: 5}, 800, nil)
	check(t, err)
	r, err := Run{Operation: o, Flat: flat, Targets: list, Warmup: 400}.Measure(context.Background(), s, c.place, engine.OpenConfig{CacheBytes: cache})
	check(t, err)
	for _, failed := range r.Checks.Failed() {
		t.Errorf("%s: check %s: %s", o, failed.Name, failed.Detail)
	}
	return r
}

// TestOperationsGetTheseKeys checks the keys that each operation needs by go-ethereum's
// schema, for blocks in the store and in the freezer.
func TestOperationsGetTheseKeys(t *testing.T) {
	type gets map[chaindata.Category]float64
	for _, c := range []struct {
		what   string
		o      Operation
		flat   bool
		want   gets
		frozen float64 // items; 5 of 6 blocks of the frozen chain are in the freezer
	}{
		{"path", BlockByHash, false, gets{chaindata.HashToNumber: 1, chaindata.Headers: 1, chaindata.Bodies: 1}, 0},
		{"path", BlockByNumber, false, gets{chaindata.NumberToHash: 1, chaindata.Headers: 1, chaindata.Bodies: 1}, 0},
		{"path", Transaction, false, gets{chaindata.Transactions: 1, chaindata.NumberToHash: 1, chaindata.Bodies: 1}, 0},
		{"path", Receipts, false, gets{chaindata.HashToNumber: 1, chaindata.Headers: 2, chaindata.Bodies: 1, chaindata.Receipts: 1}, 0},
		{"path", Balance, true, gets{chaindata.FlatAccounts: 1}, 0},
		{"path", StorageAt, true, gets{chaindata.FlatAccounts: 1, chaindata.FlatStorage: 1}, 0},
		// The store has only the number of a frozen block. The freezer returns its header,
		// its body and, first, its hash, which shows that it has the block.
		{"frozen", BlockByHash, false, gets{chaindata.HashToNumber: 1, chaindata.Headers: 1.0 / 6, chaindata.Bodies: 1.0 / 6}, 3 * 5.0 / 6},
	} {
		t.Run(fmt.Sprint(c.what, " ", c.o, " ", c.flat), func(t *testing.T) {
			r := measured(t, c.what, c.o, c.flat, 1<<20)
			sum := 0.0
			for category, want := range c.want {
				got := r.Categories[string(category)]
				if math.Abs(got.Gets-want) > 0.06 || c.what == "path" && (got.Gets != want || got.Found != want) {
					t.Errorf("%s: %+v, want %v Gets", category, got, want)
				}
				sum += got.Gets
			}
			if math.Abs(r.PerOp.KVGets-sum) > 1e-9 || len(r.Categories) != len(c.want) {
				t.Errorf("%.3f keys are got, of %v", r.PerOp.KVGets, r.Categories)
			}
			if math.Abs(r.PerOp.FreezerItems-c.frozen) > 0.25 {
				t.Errorf("%.3f items of the freezer, want about %.3f", r.PerOp.FreezerItems, c.frozen)
			}
			if r.PerOp.FreezerReads != 2*r.PerOp.FreezerItems { // an index entry and the item
				t.Errorf("%.3f reads of the freezer for %.3f items", r.PerOp.FreezerReads, r.PerOp.FreezerItems)
			}
		})
	}
}

// TestTrieReadsMatchProofs checks that reading an account from its trie gets as many nodes
// as go-ethereum's proof of it has, and a storage slot those of both proofs.
func TestTrieReadsMatchProofs(t *testing.T) {
	for _, what := range []string{"path", "hash"} {
		t.Run(what, func(t *testing.T) {
			c, _ := open(t, what, 8<<20)
			list, err := c.Targets(context.Background(), StorageAt, Popularity{Seed: 6}, 300, nil)
			check(t, err)
			for i := range list {
				target := &list[i]
				account, err := c.trieAccount(target.Hash)
				check(t, err)
				accounts, err := c.accounts()
				check(t, err)
				proof := memorydb.New()
				check(t, accounts.Prove(target.Hash[:], proof))
				ofAccount := proof.Len()
				slots, err := c.slots(target.Hash, account.Root)
				check(t, err)
				ofSlot := memorydb.New()
				check(t, slots.Prove(target.Slot[:], ofSlot))

				for o, want := range map[Operation]int{Balance: ofAccount, StorageAt: ofAccount + ofSlot.Len()} {
					before := c.gets()
					check(t, c.do(o, target, false))
					// Nodes shorter than 32 bytes lie in their parents, in the proofs too.
					if got := c.gets() - before; got != int64(want) {
						t.Errorf("%s of %x gets %d nodes, its proofs have %d", o, target.Hash, got, want)
					}
				}
			}
		})
	}
}

// TestCachesServeOperations checks that a larger cache leaves fewer reads.
func TestCachesServeOperations(t *testing.T) {
	for _, what := range []string{"path", "hash"} {
		small := measured(t, what, Balance, false, 512<<10)
		large := measured(t, what, Balance, false, 64<<20)
		if small.Reads.Mean <= large.Reads.Mean {
			t.Errorf("%s: %.3f reads with the small cache, %.3f with the large one", what, small.Reads.Mean, large.Reads.Mean)
		}
		if small.PerOp.KVGets != large.PerOp.KVGets || small.PerOp.Blocks != large.PerOp.Blocks {
			t.Errorf("%s: %.3f keys and %.3f blocks with the small cache, %.3f and %.3f with the large one", what,
				small.PerOp.KVGets, small.PerOp.Blocks, large.PerOp.KVGets, large.PerOp.Blocks)
		}
		if want := map[string]string{"path": rawdb.PathScheme, "hash": rawdb.HashScheme}[what]; small.State.Scheme != want {
			t.Errorf("%s: scheme %s", what, small.State.Scheme)
		}
	}
}

// TestUncachedOperationsReadEveryBlock checks that every block access is a read.
func TestUncachedOperationsReadEveryBlock(t *testing.T) {
	r := measured(t, "path", StorageAt, false, 0)
	if r.PerOp.Misses != r.PerOp.Blocks || r.PerOp.Blocks < r.PerOp.KVGets {
		t.Errorf("%.3f of %.3f blocks are misses, for %.3f keys", r.PerOp.Misses, r.PerOp.Blocks, r.PerOp.KVGets)
	}
}

func TestMissingFlatStateIsRefused(t *testing.T) {
	c, s := open(t, "hash", 8<<20)
	list, err := c.Targets(context.Background(), Balance, Popularity{}, 1, nil)
	check(t, err)
	if _, err := (Run{Operation: Balance, Flat: true, Targets: list}).Measure(context.Background(), s, c.place, engine.OpenConfig{CacheBytes: 1 << 20}); err == nil {
		t.Error("flat state was read that is not there")
	}
}

// TestMeasuringChangesNothing measures all operations.
func TestMeasuringChangesNothing(t *testing.T) {
	dir := chainOf(t, "frozen")
	before := enginetest.Fingerprint(t, filepath.Dir(dir))
	for _, o := range Operations {
		measured(t, "frozen", o, false, 1<<20)
	}
	if enginetest.Fingerprint(t, filepath.Dir(dir)) != before {
		t.Error("the directory changed")
	}
}
