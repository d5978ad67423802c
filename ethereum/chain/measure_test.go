package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/chaindata"
	"getio/engine"
	"getio/internal/enginetest"
	"getio/record"
)

func firstOf(list []Target) func(n int) ([]Target, error) {
	return func(n int) ([]Target, error) { return list[:n], nil }
}

// measured runs 400 operations after a warm-up of 400.
func measured(t *testing.T, what string, o Operation, flat bool, cache int64) *record.Chain {
	t.Helper()
	c, s := open(t, chainOf(t, what))
	list, err := c.Targets(context.Background(), o, Popularity{Seed: 5}, 800)
	require.NoError(t, err)
	r, err := Run{Operation: o, Flat: flat, Targets: firstOf(list), Warmup: 400, Operations: len(list) - 400}.Measure(context.Background(), s, c.place, engine.OpenConfig{CacheBytes: cache})
	require.NoError(t, err)
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
			c, _ := open(t, chainOf(t, what))
			list, err := c.Targets(context.Background(), StorageAt, Popularity{Seed: 6}, 300)
			require.NoError(t, err)
			for i := range list {
				target := &list[i]
				account, err := c.account(target.Hash, false)
				require.NoError(t, err)
				accounts, err := c.accounts()
				require.NoError(t, err)
				proof := memorydb.New()
				require.NoError(t, accounts.Prove(target.Hash[:], proof))
				ofAccount := proof.Len()
				slots, err := c.slots(target.Hash, account.Root)
				require.NoError(t, err)
				ofSlot := memorydb.New()
				require.NoError(t, slots.Prove(target.Slot[:], ofSlot))

				for o, want := range map[Operation]int{Balance: ofAccount, StorageAt: ofAccount + ofSlot.Len()} {
					before := c.gets()
					require.NoError(t, c.do(o, target, false))
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
		assert.Equal(t, map[string]string{"path": rawdb.PathScheme, "hash": rawdb.HashScheme}[what], small.State.Scheme, what)
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
	c, s := open(t, chainOf(t, "hash"))
	list, err := c.Targets(context.Background(), Balance, Popularity{}, 1)
	require.NoError(t, err)
	_, err = (Run{Operation: Balance, Flat: true, Targets: firstOf(list), Operations: len(list)}).Measure(context.Background(), s, c.place, engine.OpenConfig{CacheBytes: 1 << 20})
	assert.Error(t, err, "flat state was read that is not there")
}

// TestMeasuringChangesNothing measures all operations.
func TestMeasuringChangesNothing(t *testing.T) {
	dir := chainOf(t, "frozen")
	enginetest.RequireUnchanged(t, filepath.Dir(dir), func() {
		for _, o := range Operations {
			measured(t, "frozen", o, false, 1<<20)
		}
	})
}

func drawn(t *testing.T, what string, o Operation, p Popularity, n int) []Target {
	t.Helper()
	c, _ := open(t, chainOf(t, what))
	list, err := c.Targets(context.Background(), o, p, n)
	require.NoError(t, err)
	return list
}

// TestBlockPopularity checks that blocks except genesis are drawn uniformly, or the newest
// most often.
func TestBlockPopularity(t *testing.T) {
	const n, blocks = 30_000, 300
	counts := map[uint64]float64{}
	for _, target := range drawn(t, "frozen", BlockByNumber, Popularity{Seed: 1}, n) {
		counts[target.Number]++
	}
	for number := range uint64(blocks + 2) {
		want := float64(n / blocks)
		if number == 0 || number > blocks {
			want = 0
		}
		if math.Abs(counts[number]-want) > 5*math.Sqrt(want) {
			t.Errorf("block %d came %.0f times, want about %.0f", number, counts[number], want)
		}
	}
	clear(counts)
	for _, target := range drawn(t, "frozen", BlockByNumber, Popularity{Zipf: 1, Seed: 1}, n) {
		counts[blocks-target.Number]++
	}
	harmonic := 0.0
	for rank := range blocks {
		harmonic += 1 / float64(rank+1)
	}
	for rank := range uint64(10) {
		if want := n / harmonic / float64(rank+1); math.Abs(counts[rank]-want) > 5*math.Sqrt(want) {
			t.Errorf("block %d from the newest came %.0f times, want about %.0f", rank, counts[rank], want)
		}
	}
}

// TestAccountPopularity draws accounts uniformly and by Zipf.
func TestAccountPopularity(t *testing.T) {
	const n = 4000
	seen := map[common.Hash]int{}
	var parts [8]int
	for _, target := range drawn(t, "hash", Balance, Popularity{Seed: 1}, n) {
		seen[target.Hash]++
		parts[target.Hash[0]>>5]++
	}
	// The gaps before accounts are exponential, so 4,000 draws from 4,000 accounts meet half
	// of them.
	if len(seen) < n*45/100 || len(seen) > n*55/100 {
		t.Errorf("%d draws met %d accounts", n, len(seen))
	}
	for i, hits := range parts {
		if hits < n/8*8/10 || hits > n/8*12/10 {
			t.Errorf("part %d of the hashes was drawn %d times", i, hits)
		}
	}
	clear(seen)
	for _, target := range drawn(t, "hash", Balance, Popularity{Zipf: 1.2, Seed: 1}, n) {
		seen[target.Hash]++
	}
	assert.GreaterOrEqual(t, slices.Max(slices.Collect(maps.Values(seen))), n/8, "draws of the most popular account, of %d", n)
}

// TestDrawsRepeat checks that draws depend on the seed alone.
func TestDrawsRepeat(t *testing.T) {
	for _, o := range Operations {
		first := drawn(t, "path", o, Popularity{Seed: 1}, 50)
		assert.Equal(t, drawn(t, "path", o, Popularity{Seed: 1}, 50), first, "%s: the same seed draws other targets", o)
		assert.False(t, slices.Equal(first, drawn(t, "path", o, Popularity{Seed: 2}, 50)), "%s: another seed draws the same targets", o)
	}
}

// TestCountAccounts allows an error of some per cent.
func TestCountAccounts(t *testing.T) {
	c, _ := open(t, chainOf(t, "path"))
	targets, err := c.newTargets(Balance, Popularity{Seed: 1})
	require.NoError(t, err)
	n, err := targets.countAccounts()
	require.NoError(t, err)
	if n < 3500 || n > 4500 {
		t.Errorf("%d accounts are counted of 4,000", n)
	}
}

// TestPrunedBlocksAreNotDrawn removes the oldest contents from the freezer.
func TestPrunedBlocksAreNotDrawn(t *testing.T) {
	dir := copyOf(t, "frozen")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ancient", "chain", "bodies.meta"), []byte{0xc4, 2, 0x81, 200, 0x80}, 0o644))
	c, _ := open(t, dir)
	for _, o := range []Operation{BlockByHash, BlockByNumber, Transaction, Receipts} {
		list, err := c.Targets(context.Background(), o, Popularity{}, 300)
		require.NoError(t, err)
		for _, target := range list {
			if target.Number < 200 {
				t.Fatalf("%s: block %d is asked for, those before 200 are pruned", o, target.Number)
			}
			require.NoError(t, c.do(o, &target, false))
		}
		var unanswerable *Unanswerable
		if _, err := c.Targets(context.Background(), o, Popularity{Last: 199}, 1); !errors.As(err, &unanswerable) {
			t.Errorf("%s of pruned blocks only: %v", o, err)
		}
	}
	assert.ErrorContains(t, c.do(BlockByNumber, &Target{Number: 150}, false), "pruned")
}

// TestUnfinishedStateIsNamed replaces a node with one of another hash.
func TestUnfinishedStateIsNamed(t *testing.T) {
	dir := copyOf(t, "path")
	change(t, dir, func(b engine.Batch) error { return b.Set([]byte("A\x01"), []byte("of another state")) })
	c, _ := open(t, dir)
	for _, o := range []Operation{Balance, StorageAt} {
		_, err := c.Targets(context.Background(), o, Popularity{}, 300)
		if err == nil || !strings.Contains(err.Error(), "is incomplete") || !strings.Contains(err.Error(), "leave out getBalance and getStorageAt") {
			t.Errorf("%s: %v", o, err)
		}
	}
}
