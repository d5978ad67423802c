package chain

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"getio/engine"
)

func drawn(t *testing.T, what string, o Operation, p Popularity, n int) []Target {
	t.Helper()
	c, _ := open(t, what, 8<<20)
	list, err := c.Targets(context.Background(), o, p, n, nil)
	check(t, err)
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
	most := 0
	for _, hits := range seen {
		most = max(most, hits)
	}
	if most < n/8 {
		t.Errorf("the most popular account was drawn %d times of %d", most, n)
	}
}

// TestDrawsRepeat checks that draws depend on the seed alone.
func TestDrawsRepeat(t *testing.T) {
	for _, o := range Operations {
		first := drawn(t, "path", o, Popularity{Seed: 1}, 50)
		if !slices.Equal(first, drawn(t, "path", o, Popularity{Seed: 1}, 50)) {
			t.Errorf("%s: the same seed draws other targets", o)
		}
		if slices.Equal(first, drawn(t, "path", o, Popularity{Seed: 2}, 50)) {
			t.Errorf("%s: another seed draws the same targets", o)
		}
	}
}

// TestCountAccounts allows an error of some per cent.
func TestCountAccounts(t *testing.T) {
	c, _ := open(t, "path", 8<<20)
	check(t, c.findState())
	n, err := newTargets(c, Balance, Popularity{Seed: 1}).countAccounts()
	check(t, err)
	if n < 3500 || n > 4500 {
		t.Errorf("%d accounts are counted of 4,000", n)
	}
}

// TestPrunedBlocksAreNotDrawn removes the oldest contents from the freezer.
func TestPrunedBlocksAreNotDrawn(t *testing.T) {
	dir := copyOf(t, "frozen")
	check(t, os.WriteFile(filepath.Join(dir, "ancient", "chain", "bodies.meta"), []byte{0xc4, 2, 0x81, 200, 0x80}, 0o644))
	s := storeOf(t, dir)
	c, err := Open(s, placeOf(dir), engine.OpenConfig{CacheBytes: 8 << 20})
	check(t, err)
	defer c.Close()
	for _, o := range []Operation{BlockByHash, BlockByNumber, Transaction, Receipts} {
		list, err := c.Targets(context.Background(), o, Popularity{}, 300, nil)
		check(t, err)
		for _, target := range list {
			if target.Number < 200 {
				t.Fatalf("%s: block %d is asked for, those before 200 are pruned", o, target.Number)
			}
			check(t, c.do(o, &target, false))
		}
		var unanswerable *Unanswerable
		if _, err := c.Targets(context.Background(), o, Popularity{Last: 199}, 1, nil); !errors.As(err, &unanswerable) {
			t.Errorf("%s of pruned blocks only: %v", o, err)
		}
	}
	if err := c.do(BlockByNumber, &Target{Number: 150}, false); err == nil || !strings.Contains(err.Error(), "pruned") {
		t.Errorf("a pruned block: %v", err)
	}
}

// TestUnfinishedStateIsNamed replaces a node with one of another hash.
func TestUnfinishedStateIsNamed(t *testing.T) {
	dir := copyOf(t, "path")
	change(t, dir, func(b engine.Batch) error { return b.Set([]byte("A\x01"), []byte("of another state")) })
	s := storeOf(t, dir)
	c, err := Open(s, placeOf(dir), engine.OpenConfig{CacheBytes: 8 << 20})
	check(t, err)
	defer c.Close()
	for _, o := range []Operation{Balance, StorageAt} {
		_, err := c.Targets(context.Background(), o, Popularity{}, 300, nil)
		if err == nil || !strings.Contains(err.Error(), "is incomplete") || !strings.Contains(err.Error(), "leave out getBalance and getStorageAt") {
			t.Errorf("%s: %v", o, err)
		}
	}
}
