package chain

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/golang/snappy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/client/chaindata"
	"getio/engine"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chainload"
	"getio/internal/enginetest"
	"getio/record"
)

// TestFreezerReadsLikeGoEthereum compares every item of every table, and items that do not exist.
func TestFreezerReadsLikeGoEthereum(t *testing.T) {
	dir := filepath.Join(copyOf(t, "frozen"), "ancient")
	own, err := openFreezer(dir, false)
	require.NoError(t, err)
	defer own.Close()
	theirs, err := rawdb.Open(rawdb.NewDatabase(memorydb.New()), rawdb.OpenOptions{Ancient: dir, ReadOnly: true})
	require.NoError(t, err)
	defer theirs.Close()
	for _, table := range []string{rawdb.ChainFreezerHashTable, rawdb.ChainFreezerHeaderTable, rawdb.ChainFreezerBodiesTable, rawdb.ChainFreezerReceiptTable} {
		for n := range uint64(252) {
			want, wantErr := theirs.Ancient(table, n)
			got, err := own.item(table, n)
			if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
				t.Fatalf("%s %d: %d bytes, error %v; go-ethereum has %d, error %v", table, n, len(got), err, len(want), wantErr)
			}
		}
	}
	if n, err := theirs.Ancients(); err != nil || n != own.blocks() || n != 250 {
		t.Errorf("%d blocks are frozen, go-ethereum has %d, error %v", own.blocks(), n, err)
	}
}

// TestItemsAcrossFiles reads items that start a file, from a table whose first items are
// removed or hidden.
func TestItemsAcrossFiles(t *testing.T) {
	const removed, tail, perFile = 10, 15, 7
	dir := filepath.Join(t.TempDir(), "chain")
	require.NoError(t, os.Mkdir(dir, 0o755))
	item := func(n int) []byte { return bytes.Repeat([]byte(fmt.Sprint(n)), n) }
	index := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, 3), removed)
	files := map[uint16][]byte{}
	for n := removed; n < 40; n++ {
		file := uint16(3 + (n-removed)/perFile)
		files[file] = append(files[file], snappy.Encode(nil, item(n))...)
		index = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(index, file), uint32(len(files[file])))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bodies.cidx"), index, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bodies.meta"), []byte{0xc3, 2, tail, 0x80, 0, 0, 0}, 0o644))
	for n, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("bodies.%04d.cdat", n)), data, 0o644))
	}
	f, err := openFreezer(filepath.Dir(dir), false)
	require.NoError(t, err)
	defer f.Close()
	for n := range 45 {
		got, err := f.item("bodies", uint64(n))
		if there := n >= tail && n < 40; there != (err == nil) || there && !bytes.Equal(got, item(n)) {
			t.Errorf("item %d: %q, error %v", n, got, err)
		}
	}
	assert.EqualValues(t, tail, f.tail())
}

// TestAncientRanges checks go-ethereum's contract (ethdb.AncientReaderOp).
func TestAncientRanges(t *testing.T) {
	c, _ := open(t, chainOf(t, "frozen"))
	for _, r := range []struct {
		start, maxBytes uint64
		want            int
	}{{245, 0, 5}, {0, 70, 2}, {0, 1, 1}} { // 250 hashes of 32 bytes
		hashes, err := c.reader.AncientRange(rawdb.ChainFreezerHashTable, r.start, 10, r.maxBytes)
		if err != nil || len(hashes) != r.want {
			t.Errorf("%d hashes, error %v, want %+v", len(hashes), err, r)
		}
	}
	first, err := c.reader.Ancient(rawdb.ChainFreezerHashTable, 0)
	require.NoError(t, err)
	_, err = c.reader.AncientRange(rawdb.ChainFreezerHashTable, 250, 1, 0)
	assert.Error(t, err, "items that are not there")
	part, err := c.reader.AncientBytes(rawdb.ChainFreezerHashTable, 0, 4, 8)
	if err != nil || !bytes.Equal(part, first[4:12]) {
		t.Errorf("bytes %x, error %v", part, err)
	}
	for _, at := range [][2]uint64{{30, 3}, {33, 0}, {1, 1 << 63}} {
		_, err := c.reader.AncientBytes(rawdb.ChainFreezerHashTable, 0, at[0], at[1])
		assert.Error(t, err, "bytes %v of 32 are there", at)
	}
}

// TestFreezerInUse checks that a locked freezer is refused unless the caller expects it.
func TestFreezerInUse(t *testing.T) {
	dir := filepath.Join(copyOf(t, "frozen"), "ancient")
	client, err := os.OpenFile(filepath.Join(dir, "chain", "FLOCK"), os.O_RDWR|os.O_CREATE, 0o644)
	require.NoError(t, err)
	defer client.Close()
	require.NoError(t, unix.Flock(int(client.Fd()), unix.LOCK_EX))
	_, err = openFreezer(dir, false)
	assert.ErrorContains(t, err, "another process has it open")
	f, err := openFreezer(dir, true)
	require.NoError(t, err)
	defer f.Close()
	assert.EqualValues(t, 250, f.blocks())
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
		require.NoError(t, err)
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
	require.NoError(t, err)
	built.dirs[what] = chainload.StoreDir(dir)
	return built.dirs[what]
}

func storeOf(t *testing.T, dir string) engine.Store {
	t.Helper()
	cfg, err := pebblev2.Engine.Configure("geth", nil)
	require.NoError(t, err)
	s, err := pebblev2.Engine.OpenStore(context.Background(), dir, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func placeOf(dir string) Place {
	return Place{Dir: dir, Ancient: filepath.Join(dir, chaindata.AncientDir)}
}

// open opens the chaindata in dir with a cache of 8 MiB.
func open(t *testing.T, dir string) (*Chain, engine.Store) {
	t.Helper()
	s := storeOf(t, dir)
	c, err := Open(s, placeOf(dir), engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c, s
}

// copyOf returns a copy of a chain that a test may damage.
func copyOf(t *testing.T, what string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "chaindata")
	require.NoError(t, os.CopyFS(dir, os.DirFS(chainOf(t, what))))
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
			require.NoError(t, err)
			t.Cleanup(func() { lock.Close() })
			require.NoError(t, unix.Flock(int(lock.Fd()), unix.LOCK_EX))
			return placeOf(dir)
		}},
		{"damaged freezer", "frozen", "data file 0 of table hashes", func(t *testing.T, dir string) Place {
			require.NoError(t, os.Remove(filepath.Join(dir, "ancient", "chain", "hashes.0000.rdat")))
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
			enginetest.RequireUnchanged(t, filepath.Dir(dir), func() {
				chain, err := Open(storeOf(t, dir), place, engine.OpenConfig{CacheBytes: 1 << 20})
				if err == nil {
					_, err = chain.Targets(t.Context(), BlockByHash, Popularity{}, 1000)
					chain.Close()
				}
				assert.ErrorContains(t, err, c.says)
			})
		})
	}
}

// change writes to the store of a chain.
func change(t *testing.T, dir string, set func(engine.Batch) error) {
	t.Helper()
	cfg, err := pebblev2.Engine.Configure("geth", nil)
	require.NoError(t, err)
	loader, err := pebblev2.Engine.Resume(dir, cfg)
	require.NoError(t, err)
	batch := loader.NewBatch()
	require.NoError(t, set(batch))
	require.NoError(t, batch.Commit())
	require.NoError(t, batch.Close())
	require.NoError(t, loader.Settle(context.Background(), nil))
	require.NoError(t, loader.Close())
}
