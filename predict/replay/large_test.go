package replay

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure/keysource"
	"getio/predict/cachesim"
)

// madeUp is a database whose Gets make the reads that it says.
type madeUp struct {
	engine.Store
	reads func() []engine.TableRead // of the next Get
}

func (s madeUp) Info() engine.Info { return engine.Info{Dir: "made-up"} }
func (s madeUp) Shape() *lsm.Shape { return &lsm.Shape{} }

func (s madeUp) Open(how engine.OpenConfig) (engine.DB, error) {
	return madeUpDB{reads: s.reads, trace: how.Trace}, nil
}

type madeUpDB struct {
	engine.DB
	reads func() []engine.TableRead
	trace func(engine.TableRead)
}

func (d madeUpDB) Get(_, _ []byte) ([]byte, bool, error) {
	for _, r := range d.reads() {
		d.trace(r)
	}
	return nil, true, nil
}
func (madeUpDB) Counts() engine.Counts                { return engine.Counts{} }
func (madeUpDB) Check(engine.Counts) []readpath.Check { return nil }
func (madeUpDB) Close() error                         { return nil }

// sameKey asks for one key. It panics if a Get was not prepared.
type sameKey struct {
	keysource.Sequence
	from, to int64 // prepared
}

func (s *sameKey) Prepare(_ context.Context, first, n int64) error {
	s.from, s.to = first, first+n
	return nil
}

func (s *sameKey) Key(g int64, _ []byte) (key []byte, w keysource.Want) {
	if g < s.from || g >= s.to {
		panic(fmt.Sprintf("Get %d was not prepared", g))
	}
	return nil, w
}

func (*sameKey) Check(int64, keysource.Want, []byte, bool, []byte) error { return nil }

// TestFilesAbove4GiB: blocks are told apart in files of any size and number, tables and blob files.
func TestFilesAbove4GiB(t *testing.T) {
	const gib = 1 << 30
	var reads []engine.TableRead
	for _, at := range []struct {
		file   uint64
		offset int64
	}{{2, 4 * gib}, {3, 0}, {2, 4*gib + 4096}, {3, 4096}, {1, 8 * gib}, {0, 12 * gib}, {1 << 40, 0}, {1<<40 - 1, 1 << 40}, {1 << 63, 1 << 50}} {
		reads = append(reads,
			engine.TableRead{File: at.file, Offset: at.offset, Length: 4096, Block: 4091, Component: readpath.Data},
			engine.TableRead{File: at.file, Offset: at.offset + 1, Length: 100, Component: readpath.Blob})
	}
	const gets = 10
	s := madeUp{reads: func() []engine.TableRead { return reads }}
	blocks := int64(len(reads) / 2)
	for _, library := range []cachesim.Library{cachesim.PebbleV1, cachesim.LevelDB{BlockSize: 4096}, cachesim.RocksDB{}, cachesim.HyperClock{EntryCharge: 4096}} {
		counts, err := (&Run{Gets: gets}).curve(t.Context(), s, &sameKey{}, []cachesim.Library{library}, []Cache{{Bytes: 1 << 20, Shards: 1}})
		require.NoError(t, err)
		assert.Equal(t, gets*blocks, counts[0].Accesses[readpath.Data])
		assert.Equal(t, blocks, counts[0].Misses[readpath.Data], "%s reads each block once", library.Policy())
	}
	rec, err := (&Run{Gets: gets}).Record(t.Context(), s, &sameKey{})
	require.NoError(t, err)
	rec.in = make([]int64, gets)
	assert.Len(t, (&sample{Recording: rec}).blocks(0.5, -1), len(reads))
}
