package sstfile

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/catalog"
	"getio/engine/region"
)

// FuzzReadTable reads damaged tables. Each read must return an error or a consistent map.
func FuzzReadTable(f *testing.F) {
	var tables [][]byte
	for _, spec := range []tableSpec{
		{version: 1, format: formatRocksDBv2, blockSize: 256, indexBlockSize: 4096, bloomBits: 10, compression: "snappy", records: plainRecords(50, 20)},
		{version: 1, format: formatPebblev4, blockSize: 64, indexBlockSize: 64, bloomBits: 10, compression: "snappy", records: versionedRecords(50, 20), rangeDeletions: 3},
		{version: 2, format: formatPebblev4, blockSize: 64, indexBlockSize: 64, compression: "none", records: plainRecords(50, 20)},
		{version: 2, format: formatPebblev5, blockSize: 64, indexBlockSize: 64, bloomBits: 10, compression: "snappy", records: plainRecords(50, 20)},
		{version: 2, format: formatPebblev7, blockSize: 256, indexBlockSize: 4096, bloomBits: 10, compression: "zstd", records: plainRecords(50, 20), rangeKeys: 3},
	} {
		data, err := os.ReadFile(spec.write(f))
		require.NoError(f, err)
		tables = append(tables, data)
	}
	for i, data := range tables {
		// Footers, metaindexes and properties are where the map comes from.
		for back := 1; back < 1000; back += 61 {
			f.Add(uint8(i), uint32(len(data)-back), uint64(0xff), uint32(0))
			f.Add(uint8(i), uint32(len(data)-back), uint64(0x8080808080808080), uint32(0))
		}
		for cut := 1; cut < len(data); cut += len(data)/8 + 1 {
			f.Add(uint8(i), uint32(0), uint64(0), uint32(cut))
		}
	}
	path := filepath.Join(f.TempDir(), "000007.sst")
	f.Fuzz(func(t *testing.T, which uint8, at uint32, flip uint64, cut uint32) {
		data := append([]byte(nil), tables[int(which)%len(tables)]...)
		for i := range 8 {
			data[(int(at)+i)%len(data)] ^= byte(flip >> (8 * i))
		}
		data = data[:len(data)-int(cut)%len(data)]
		require.NoError(t, os.WriteFile(path, data, 0o600))
		table, err := readTable(catalog.Ref{File: 7, Path: path}, nil, readerOptions())
		if err != nil {
			return
		}
		r := table.Regions
		assert.NoError(t, r.Verify(), "map of a damaged table")
		for _, e := range []region.Extent{r.Data, r.Filter, r.Index, r.TopIndex, r.Properties, r.MetaIndex} {
			if e.Off < 0 || e.End < e.Off || e.End > r.Size {
				t.Errorf("extent %+v of a file of %d bytes", e, r.Size)
			}
		}
		assert.Equal(t, int64(len(data)), r.Size, "mapped bytes")
	})
}

func TestFileNumber(t *testing.T) {
	for path, want := range map[string]uint64{
		"000123.sst": 123, "/a/db/000001.sst": 1, "1234567.sst": 1234567, "18446744073709551615.sst": 1<<64 - 1,
	} {
		if got, ok := FileNumber(path); !ok || got != want {
			t.Errorf("%s: %d, %v", path, got, ok)
		}
	}
	for _, path := range []string{"000123.ldb", "000123.log", "MANIFEST-000001", "sst", ".sst", "x.sst", "-1.sst", "000123.sst.tmp", "18446744073709551616.sst", ""} {
		if got, ok := FileNumber(path); ok {
			t.Errorf("%s is table %d", path, got)
		}
	}
}

func FuzzFileNumber(f *testing.F) {
	f.Add("000123.sst")
	f.Add("a/b.sst")
	f.Fuzz(func(t *testing.T, path string) {
		n, ok := FileNumber(path)
		if !ok {
			return
		}
		digits := filepath.Base(path)
		if again, err := strconv.ParseUint(digits[:len(digits)-len(".sst")], 10, 64); err != nil || again != n {
			t.Errorf("%q is table %d", path, n)
		}
	})
}
