package chain

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"golang.org/x/sys/unix"

	"getio/engine"
	"getio/engine/enginetest"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chaindata"
	"getio/ethereum/chainload"
	"getio/record"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// built holds the chains that tests share, by variant.
var built = struct {
	sync.Mutex
	dir  string
	dirs map[string]string
}{dirs: map[string]string{}}

func TestMain(m *testing.M) {
	enginetest.InMemory()
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}

// chainOf returns a chaindata directory with 4,000 accounts and 300 blocks.
func chainOf(t *testing.T, what string) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if dir := built.dirs[what]; dir != "" {
		return dir
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "getio-chain")
		check(t, err)
		built.dir = dir
	}
	plan := chainload.Plan{ChainPlan: record.ChainPlan{
		Accounts: 4000, Contracts: 0.2, Slots: 20, Blocks: 300, Txs: 8, Aged: 100, Scheme: rawdb.PathScheme, Flat: true, Seed: 3,
	}}
	switch what {
	case "path":
	case "frozen":
		plan.Frozen = 250
	case "hash":
		plan.Scheme, plan.Flat = rawdb.HashScheme, false
	default:
		t.Fatal(what)
	}
	dir := filepath.Join(built.dir, what)
	_, err := (&chainload.Job{Plan: plan, Engine: pebblev2.Engine, Dir: dir}).Run(context.Background())
	check(t, err)
	built.dirs[what] = chainload.StoreDir(dir)
	return built.dirs[what]
}

func storeOf(t *testing.T, dir string) engine.Store {
	t.Helper()
	cfg, err := pebblev2.Engine.Configure("geth", nil)
	check(t, err)
	s, err := pebblev2.Engine.OpenStore(context.Background(), dir, cfg)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func placeOf(dir string) Place {
	return Place{Dir: dir, Ancient: filepath.Join(dir, chaindata.AncientDir)}
}

func open(t *testing.T, what string, cache int64) (*Chain, engine.Store) {
	t.Helper()
	dir := chainOf(t, what)
	s := storeOf(t, dir)
	c, err := Open(s, placeOf(dir), engine.OpenConfig{CacheBytes: cache})
	check(t, err)
	t.Cleanup(func() { check(t, c.Close()) })
	return c, s
}

// copyOf returns a copy of a chain that a test may damage.
func copyOf(t *testing.T, what string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "chaindata")
	check(t, os.CopyFS(dir, os.DirFS(chainOf(t, what))))
	return dir
}

// TestUnreadableChains checks that each is refused with one sentence and not changed.
func TestUnreadableChains(t *testing.T) {
	for _, c := range []struct {
		name, what, says string
		damage           func(t *testing.T, dir string) Place
	}{
		{"no chain", "path", "is not chaindata of geth", func(t *testing.T, dir string) Place {
			change(t, dir, func(b engine.Batch) error { return b.Set([]byte("LastHeader"), make([]byte, 32)) })
			return placeOf(dir)
		}},
		{"newer schema", "path", "version 10", func(t *testing.T, dir string) Place {
			change(t, dir, func(b engine.Batch) error { return b.Set([]byte("DatabaseVersion"), []byte{10}) })
			return placeOf(dir)
		}},
		{"no freezer", "frozen", "--ancient", func(_ *testing.T, dir string) Place {
			return Place{Dir: dir, Ancient: filepath.Join(dir, "elsewhere")}
		}},
		{"locked freezer", "frozen", "another process", func(t *testing.T, dir string) Place {
			lock, err := os.Open(filepath.Join(dir, "ancient", "chain", "FLOCK"))
			check(t, err)
			t.Cleanup(func() { lock.Close() })
			check(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
			return placeOf(dir)
		}},
		{"damaged freezer", "frozen", "cannot be read", func(t *testing.T, dir string) Place {
			check(t, os.Remove(filepath.Join(dir, "ancient", "chain", "hashes.0000.rdat")))
			return placeOf(dir)
		}},
		{"freezer of another chain", "path", "another chain", func(t *testing.T, dir string) Place {
			other := copyOf(t, "frozen")
			change(t, dir, func(b engine.Batch) error {
				return b.Set(append(append([]byte("h"), make([]byte, 8)...), 'n'), common.Hash{1}.Bytes())
			})
			return Place{Dir: dir, Ancient: filepath.Join(other, "ancient")}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copyOf(t, c.what)
			place := c.damage(t, dir)
			before := enginetest.Fingerprint(t, filepath.Dir(dir))
			s := storeOf(t, dir)
			chain, err := Open(s, place, engine.OpenConfig{CacheBytes: 1 << 20})
			if err == nil {
				_, err = chain.Targets(context.Background(), BlockByHash, Popularity{}, 1000, nil)
				chain.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v", err)
			}
			if enginetest.Fingerprint(t, filepath.Dir(dir)) != before {
				t.Error("the directory changed")
			}
		})
	}
}

// change writes to the store of a chain.
func change(t *testing.T, dir string, set func(engine.Batch) error) {
	t.Helper()
	cfg, err := pebblev2.Engine.Configure("geth", nil)
	check(t, err)
	loader, err := pebblev2.Engine.Resume(dir, cfg)
	check(t, err)
	batch := loader.NewBatch()
	check(t, set(batch))
	check(t, batch.Commit())
	check(t, batch.Close())
	check(t, loader.Settle(context.Background(), nil))
	check(t, loader.Close())
}
