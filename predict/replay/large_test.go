package replay

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/predict/cachesim"
)

// largeFiles is a database whose Gets all read the same blocks, of files above 4 GiB.
type largeFiles struct {
	engine.Store
	reads []engine.TableRead
}

func (s largeFiles) Info() engine.Info { return engine.Info{Dir: "large"} }
func (s largeFiles) Shape() *lsm.Shape { return &lsm.Shape{} }

func (s largeFiles) Open(how engine.OpenConfig) (engine.DB, error) {
	return largeDB{reads: s.reads, trace: how.Trace}, nil
}

type largeDB struct {
	engine.DB
	reads []engine.TableRead
	trace func(engine.TableRead)
}

func (d largeDB) Get(_, _ []byte) ([]byte, bool, error) {
	for _, r := range d.reads {
		d.trace(r)
	}
	return nil, true, nil
}
func (largeDB) Counts() engine.Counts                { return engine.Counts{} }
func (largeDB) Check(engine.Counts) []readpath.Check { return nil }
func (largeDB) Close() error                         { return nil }

// sameKey asks for one key.
type sameKey struct{ keysource.Sequence }

func (sameKey) Prepare(context.Context, int64, int64) error             { return nil }
func (sameKey) Key(int64, []byte) (key []byte, w keysource.Want)        { return nil, w }
func (sameKey) Check(int64, keysource.Want, []byte, bool, []byte) error { return nil }

// TestFilesAbove4GiB: blocks are told apart in files of any size and number, tables and blob files.
func TestFilesAbove4GiB(t *testing.T) {
	const gib = 1 << 30
	s := largeFiles{}
	for _, at := range []struct {
		file   uint64
		offset int64
	}{{2, 4 * gib}, {3, 0}, {2, 4*gib + 4096}, {3, 4096}, {1, 8 * gib}, {0, 12 * gib}, {1 << 40, 0}, {1<<40 - 1, 1 << 40}, {1 << 63, 1 << 50}} {
		s.reads = append(s.reads,
			engine.TableRead{File: at.file, Offset: at.offset, Length: 4096, Block: 4091, Component: readpath.Data},
			engine.TableRead{File: at.file, Offset: at.offset + 1, Length: 100, Component: readpath.Blob})
	}
	const gets = 10
	blocks := int64(len(s.reads) / 2)
	for _, library := range []cachesim.Library{cachesim.PebbleV1, cachesim.LevelDB{BlockSize: 4096}, cachesim.RocksDB{}, cachesim.HyperClock{EntryCharge: 4096}} {
		counts, err := Run{Gets: gets}.Curve(t.Context(), s, sameKey{}, library, []Cache{{Bytes: 1 << 20, Shards: 1}})
		require.NoError(t, err)
		assert.Equal(t, gets*blocks, counts[0].Accesses[readpath.Data])
		assert.Equal(t, blocks, counts[0].Misses[readpath.Data], "%s reads each block once", library.Policy())
	}
	rec, err := Run{Gets: gets}.Record(t.Context(), s, sameKey{})
	require.NoError(t, err)
	rec.in = make([]int64, gets)
	assert.Len(t, (&sample{Recording: rec}).blocks(0.5, -1), len(s.reads))
}
