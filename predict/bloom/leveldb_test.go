package bloom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	ldbtable "github.com/syndtr/goleveldb/leveldb/table"

	"getio/engine/blockformat"
	"getio/engine/lsm"
)

// askedFilter counts what goleveldb's filter answers. Keys end with a byte that tells records of one key apart, which
// the filter does not see.
type askedFilter struct {
	filter.Filter
	asked, positives float64
}

func (f *askedFilter) NewGenerator() filter.FilterGenerator { return ofKeys{f.Filter.NewGenerator()} }

type ofKeys struct{ filter.FilterGenerator }

func (g ofKeys) Add(key []byte) { g.FilterGenerator.Add(key[:len(key)-1]) }

func (f *askedFilter) Contains(filter, key []byte) bool {
	f.asked++
	positive := f.Filter.Contains(filter, key[:len(key)-1])
	if positive {
		f.positives++
	}
	return positive
}

// TestFalsePositivesMatchLevelDB looks up absent keys in tables of goleveldb's own writer. The
// expected rate follows from the sizes in the table.
func TestFalsePositivesMatchLevelDB(t *testing.T) {
	for _, c := range []struct{ bits, valueBytes, versions int }{
		{10, 110, 1}, {5, 110, 1}, {16, 110, 1}, {10, 900, 1}, {10, 5000, 1}, {10, 110, 2}, {10, 110, 4},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			policy := &askedFilter{Filter: filter.NewBloomFilter(c.bits)}
			o := &opt.Options{Filter: policy, Compression: opt.NoCompression}
			key := func() []byte { return append(binary.BigEndian.AppendUint64(nil, r.Uint64()), 0) }
			const records, asked = 3000, 150_000
			var file bytes.Buffer
			w := ldbtable.NewWriter(&file, o, nil, 0)
			for n := range records {
				of := uint64(n / c.versions)
				key := append(binary.BigEndian.AppendUint64(nil, of<<52), byte(n%c.versions))
				require.NoError(t, w.Append(key, make([]byte, c.valueBytes)))
			}
			require.NoError(t, w.Close())
			stored := filterBlockOf(t, file.Bytes())
			written := lsm.Table{Records: records, DataBlocks: int64(w.BlocksLen()), DataBytes: int64(stored.Off), FilterBytes: int64(stored.Length),
				DistinctKeys: new(int64(records / c.versions))}
			reader, err := ldbtable.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()), storage.FileDesc{}, nil, nil, o)
			require.NoError(t, err)
			for policy.asked < asked {
				_, _ = reader.FindKey(key(), true, nil)
			}
			got, want := policy.positives/policy.asked, LevelDB(written)
			assert.LessOrEqual(t, math.Abs(got-want), 5*math.Sqrt(want/asked)+0.03*want, "%.5f, want %.5f", got, want)
		})
	}
}

// filterBlockOf returns where the metaindex of a table, which is not compressed, places the filter.
func filterBlockOf(t *testing.T, file []byte) (at blockformat.Handle) {
	t.Helper()
	meta, _ := blockformat.DecodeHandle(file[len(file)-blockformat.LevelDBFooterLen:])
	for entry, err := range blockformat.All(file[meta.Off : meta.Off+meta.Length]) {
		require.NoError(t, err)
		at, _ = blockformat.DecodeHandle(entry.Value)
	}
	return at
}
