package sstfile

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"getio/engine/catalog"
)

// tableSpec describes a table that is written for a test.
type tableSpec struct {
	version        int // of the library that writes it
	format         int // the library's own number
	blockSize      int
	indexBlockSize int
	bloomBits      int
	compression    string // snappy, none or zstd
	records        []testRecord
	rangeDeletions int
	rangeKeys      int
}

// testRecord is a record of a key, older than those of the same key before it.
type testRecord struct {
	key     []byte
	seq     uint64
	value   []byte
	deletes bool
}

func (s tableSpec) name() string {
	return fmt.Sprintf("v%d/format%d/block%d/index%d/bloom%d/%s/%drecords/%drangedels/%drangekeys", s.version,
		s.format, s.blockSize, s.indexBlockSize, s.bloomBits, s.compression, len(s.records), s.rangeDeletions, s.rangeKeys)
}

// write writes the table to a file of its own and returns its path.
func (s tableSpec) write(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "000007.sst")
	create := map[int]func(testing.TB, string, tableSpec) (tableWriter, func([]byte, uint64, []byte) error){1: newWriterV1, 2: newWriterV2}
	w, add := create[s.version](t, path, s)
	for _, r := range s.records {
		kind := pebble.InternalKeyKindSet
		if r.deletes {
			kind = pebble.InternalKeyKindDelete
		}
		require.NoError(t, add(r.key, r.seq<<8|uint64(kind), r.value))
	}
	for i := range s.rangeDeletions {
		require.NoError(t, w.DeleteRange(numberedKey(uint64(10*i)), numberedKey(uint64(10*i+5))))
	}
	for i := range s.rangeKeys {
		require.NoError(t, w.RangeKeySet(numberedKey(uint64(10*i)), numberedKey(uint64(10*i+5)), nil, []byte("value")))
	}
	require.NoError(t, w.Close())
	return path
}

// table writes the table and reads its tail.
func (s tableSpec) table(t testing.TB) *table {
	t.Helper()
	table, err := readTable(catalog.Ref{File: 7, Path: s.write(t)}, nil, readerOptions())
	require.NoError(t, err)
	return table
}

// numberedKey returns a key of 8 bytes that sorts by its number.
func numberedKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// keyNumber returns the number of a numberedKey.
func keyNumber(key []byte) uint64 { return binary.BigEndian.Uint64(key) }

// plainRecords returns n keys, each with one value of the given size.
func plainRecords(n, valueSize int) []testRecord {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	records := make([]testRecord, n)
	for i := range records {
		records[i] = testRecord{key: numberedKey(uint64(i)), value: randomBytes(r, valueSize)}
	}
	return records
}

// versionedRecords returns n keys with three versions each. Formats that have value blocks
// put the older versions there.
func versionedRecords(n, valueSize int) (records []testRecord) {
	for _, r := range plainRecords(n, valueSize) {
		for seq := uint64(3); seq > 0; seq-- {
			records = append(records, testRecord{key: r.key, seq: seq, value: slices.Concat(r.value, []byte{byte(seq)})})
		}
	}
	return records
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
