package sstfile

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/catalog"
)

// TestMeasuredBlocks: the blocks of a table add up to its records, also where older versions of keys lie in value
// blocks.
func TestMeasuredBlocks(t *testing.T) {
	for _, s := range samplerSpecs(versionedRecords(500, 40)) {
		t.Run(s.name(), func(t *testing.T) {
			table := s.table(t)
			f, err := table.Open()
			require.NoError(t, err)
			defer f.Close()
			index, err := table.ReadIndex(f, true)
			require.NoError(t, err)
			var records, raw, stored int64
			for n := range index.Len() {
				b, err := index.Measure(f, n)
				require.NoError(t, err)
				records, raw, stored = records+b.Records, raw+b.RawBytes, stored+b.Stored
				read := int64(0)
				d, err := index.Read(f, n)
				require.NoError(t, err)
				for _, err := range d.Records {
					require.NoError(t, err)
					read++
				}
				assert.Equal(t, read, b.Records)
			}
			assert.EqualValues(t, 1500, records)
			assert.Greater(t, raw, int64(table.props.RawKeySize))
			assert.LessOrEqual(t, raw, int64(table.props.RawKeySize+table.props.RawValueSize)+records, "a value may have a prefix of one byte")
			assert.EqualValues(t, table.props.DataSize, stored)
		})
	}
}

func TestFind(t *testing.T) {
	records := versionedRecords(500, 40)
	records[30].deletes = true // the newest version of key 10
	for _, s := range samplerSpecs(records) {
		t.Run(s.name(), func(t *testing.T) {
			table := s.table(t)
			find := func() (found []uint64, err error) {
				keys := [][]byte{{}, numberedKey(0), numberedKey(10), append(numberedKey(10), 0), numberedKey(11), numberedKey(11), numberedKey(499), numberedKey(500)}
				f, err := table.Open()
				require.NoError(t, err)
				defer f.Close()
				index, err := table.ReadIndex(f, true)
				require.NoError(t, err)
				places := map[int]bool{}
				err = index.History(f, keys, func(i int, _ uint64, _ catalog.Does) { places[i] = true })
				for _, i := range slices.Sorted(maps.Keys(places)) {
					found = append(found, keyNumber(keys[i]))
				}
				return found, err
			}
			found, err := find()
			require.NoError(t, err)
			assert.Equal(t, []uint64{0, 10, 11, 11, 499}, found)

			table.Ref.Virtual, table.Ref.Smallest, table.Ref.Largest = true, numberedKey(10), numberedKey(499)
			table.Ref.LargestExclusive = true
			found, err = find()
			require.NoError(t, err)
			assert.Equal(t, []uint64{10, 11, 11}, found, "of a virtual table")

			damage(t, table.Ref.Path)
			_, err = find()
			assert.ErrorContains(t, err, "checksum")
		})
	}
}

// damage changes a byte of a table's first data block.
func damage(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	content[5] ^= 1
	require.NoError(t, os.WriteFile(path, content, 0o600))
}
