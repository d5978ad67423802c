package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/engine"
	"getio/engine/engines"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/system/device"
	"getio/system/loopdisk"
	"getio/workload"
	"getio/workload/dataset"
)

// pagesKeysEnv sets the number of keys of TestPagesAreWhatTheDiskReads.
const pagesKeysEnv = "GETIO_PAGES_KEYS"

// TestPagesAreWhatTheDiskReads compares the pages that reads touch, by their offsets, with what the block layer of a private
// disk counts: past the page cache, and through it while it holds nothing, with the readahead of a usual disk.
func TestPagesAreWhatTheDiskReads(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads many keys into each engine")
	}
	const gets, cache = 4_000, 1 << 20
	keys := uint64(300_000)
	if s := os.Getenv(pagesKeysEnv); s != "" {
		var err error
		keys, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	space, err := dataset.NewKeyspace(dataset.KeyspaceKeccak, keys, 1)
	require.NoError(t, err)
	values, err := dataset.NewValues(dataset.ValuesRandom, 110, 1)
	require.NoError(t, err)
	for _, e := range engines.Available() {
		if e.Name() == "pebblev1" {
			continue // it reads as pebblev2 does
		}
		t.Run(e.Name(), func(t *testing.T) {
			disk := usualDisk(t)
			cfg, err := e.Configure("", tablesOfUsualSize[e.Name()])
			require.NoError(t, err)
			loaded, dir := filepath.Join(t.TempDir(), "db"), filepath.Join(disk.Dir, "db")
			loadStore(t, e, cfg, loaded, space, values)
			require.NoError(t, os.CopyFS(dir, os.DirFS(loaded))) // each file in one piece
			s, err := e.OpenStore(t.Context(), dir, cfg)
			require.NoError(t, err)
			defer s.Close()
			drop := dropper(t, dir)
			for name, open := range map[string]engine.OpenConfig{
				"past the page cache": {Device: device.New(device.Bypass, device.Model{})},
				"with an empty one":   {Trace: func(r engine.TableRead) { drop(r.File) }},
			} {
				open.CacheBytes = cache
				reads, read := readPages(t, disk, s, open, keysource.Written(space, values, workload.Keys{Seed: 1}), gets)
				pages := reads.Pages * readpath.PageBytes
				t.Logf("%s: %d reads of %d bytes in %d bytes of pages; the disk: %d reads of %d bytes", name, reads.Count.Sum(), reads.Bytes.Sum(), pages, read.Reads, read.Bytes)
				assert.InEpsilon(t, read.Bytes, pages, 0.01, name)
				assert.InEpsilon(t, read.Reads, reads.Count.Sum(), 0.01, name)
			}
		})
	}
}

// tablesOfUsualSize are options for a tree of this size. LevelDB would flush all its keys into tables of L0 whose filters and
// indexes have more than a MiB, in which the kernel reads ahead, and which a disk reads in several requests.
var tablesOfUsualSize = map[string][]string{"goleveldb": {"memtable_size=4MiB"}}

// readPages makes Gets, of which the second half counts, and returns their reads and those of the disk.
func readPages(t *testing.T, disk *loopdisk.Disk, s engine.Store, open engine.OpenConfig, keys keysource.Sequence, gets int64) (readpath.Reads, loopdisk.Count) {
	t.Helper()
	db, err := s.Open(open)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, keys.Prepare(t.Context(), 0, gets))
	var began loopdisk.Count
	var counted engine.Counts
	for g := range gets {
		if g == gets/2 {
			began, err = disk.Count()
			require.NoError(t, err)
			counted = db.Counts()
		}
		key, _ := keys.Key(g, nil)
		_, found, err := db.Get(key, nil)
		require.NoError(t, err)
		require.True(t, found)
	}
	read, err := disk.Count()
	require.NoError(t, err)
	return db.Counts().Sub(counted).Reads, read.Sub(began)
}

// usualDisk returns a private disk that reads ahead as disks do unless they are told otherwise.
func usualDisk(t *testing.T) *loopdisk.Disk {
	t.Helper()
	disk, err := loopdisk.Make(t.TempDir(), t.TempDir(), 384<<20)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	require.NoError(t, os.WriteFile(fmt.Sprintf("/sys/block/%s/queue/read_ahead_kb", disk.Name), []byte("128"), 0))
	return disk
}

// dropper returns a function that drops the pages of a table.
func dropper(t *testing.T, dir string) func(file uint64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	tables := map[uint64]*os.File{}
	for _, e := range entries {
		number, err := strconv.ParseUint(strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), 10, 64)
		if err != nil {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		require.NoError(t, f.Sync())
		tables[number] = f
	}
	drop := func(file uint64) { assert.NoError(t, unix.Fadvise(int(tables[file].Fd()), 0, 0, unix.FADV_DONTNEED)) }
	for file := range tables {
		drop(file)
	}
	return drop
}
