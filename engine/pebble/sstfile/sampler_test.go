package sstfile

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"getio/engine"
	"getio/engine/catalog"
	"getio/engine/lsm"
	"getio/internal/enginetest"
)

// samplerSpecs returns tables of the records, with both kinds of blocks and of indexes.
func samplerSpecs(records []testRecord) []tableSpec {
	return []tableSpec{
		{version: 1, format: formatRocksDBv2, blockSize: 512, indexBlockSize: 4096, compression: "snappy", records: records},
		{version: 1, format: formatPebblev4, blockSize: 512, indexBlockSize: 128, compression: "zstd", records: records},
		{version: 2, format: formatPebblev5, blockSize: 512, indexBlockSize: 4096, compression: "none", records: records},
		{version: 2, format: formatPebblev7, blockSize: 512, indexBlockSize: 128, compression: "snappy", records: records},
	}
}

// bothKinds returns tables of the records in row and columnar formats.
func bothKinds(records []testRecord) []tableSpec {
	return []tableSpec{
		{version: 1, format: formatRocksDBv2, blockSize: 4096, indexBlockSize: 4096, compression: "none", records: records},
		{version: 2, format: formatPebblev7, blockSize: 4096, indexBlockSize: 256, compression: "none", records: records},
	}
}

// catalogOf writes the tables and reads their catalog.
func catalogOf(t testing.TB, specs ...tableSpec) *Catalog {
	t.Helper()
	var refs []catalog.Ref
	for i, s := range specs {
		refs = append(refs, catalog.Ref{Level: 6, File: uint64(i + 1), Path: s.write(t)})
	}
	c, err := ReadCatalog(t.Context(), refs, nil)
	require.NoError(t, err)
	return c
}

func newSampler(t testing.TB, c *Catalog) engine.Sampler {
	t.Helper()
	s, err := c.Sampler(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// sequence draws keys.
func sequence(t testing.TB, s engine.Sampler, seed uint64, draws int) (keys []uint64) {
	t.Helper()
	for _, key := range enginetest.Draw(t, s, seed, draws) {
		keys = append(keys, keyNumber(key))
	}
	return keys
}

// drawOne draws a key.
func drawOne(s engine.Sampler, seed uint64) error {
	_, err := s.Draw(context.Background(), []func() uint64{rand.New(rand.NewPCG(seed, 0)).Uint64})
	return err
}

// drawn draws keys and counts them by their number.
func drawn(t testing.TB, s engine.Sampler, seed uint64, draws int) map[uint64]int {
	t.Helper()
	hits := map[uint64]int{}
	for _, key := range sequence(t, s, seed, draws) {
		hits[key]++
	}
	return hits
}

// TestDrawsDependOnSeedOnly checks that neither earlier draws nor what a sampler remembers
// change the draws of a seed.
func TestDrawsDependOnSeedOnly(t *testing.T) {
	oneGoroutine(t)
	for _, spec := range samplerSpecs(unevenRecords(500, 7, 3)) {
		c := catalogOf(t, spec)
		remembering := newSampler(t, c)
		forgetful, err := c.SamplerWithin(0, nil)
		require.NoError(t, err)
		want := sequence(t, remembering, 1, 2000)
		for name, s := range map[string]engine.Sampler{"used": remembering, "new": newSampler(t, c), "forgetful": forgetful} {
			if !slices.Equal(sequence(t, s, 1, 2000), want) {
				t.Errorf("%s: the %s sampler drew other keys with the same seed", spec.name(), name)
			}
		}
		if slices.Equal(sequence(t, remembering, 2, 2000), want) {
			t.Errorf("%s: another seed drew the same keys", spec.name())
		}
		// By now it remembers every block and keeps the file open.
		require.NoError(t, os.Remove(c.Tables[0].Ref.Path))
		if err := drawOne(forgetful, 1); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the forgetful sampler drew from a removed file, error %v", spec.name(), err)
		}
		if !slices.Equal(sequence(t, remembering, 1, 2000), want) {
			t.Errorf("%s: removing the file changed the draws", spec.name())
		}
	}
}

func TestConcurrentDrawsAreIndependent(t *testing.T) {
	c := catalogOf(t, samplerSpecs(unevenRecords(500, 7, 3))...)
	want := sequence(t, newSampler(t, c), 4, 300)
	s := newSampler(t, c)
	var all sync.WaitGroup
	for worker := range uint64(4) {
		all.Go(func() {
			if worker > 0 {
				sequence(t, s, 100+worker, 300)
			} else if got := sequence(t, s, 4, 300); !slices.Equal(got, want) {
				t.Error("concurrent draws changed each other")
			}
		})
	}
	all.Wait()
}

func TestDeletionsAreNotDrawn(t *testing.T) {
	oneGoroutine(t)
	records := plainRecords(600, 5)
	for i := range records {
		if records[i].deletes = i%3 != 0; records[i].deletes {
			records[i].value = nil
		}
	}
	for _, spec := range samplerSpecs(records) {
		hits := drawn(t, newSampler(t, catalogOf(t, spec)), 5, 4000)
		// The keys that are set are every third: number them again.
		set := map[uint64]int{}
		for key, n := range hits {
			if key%3 != 0 {
				t.Fatalf("%s: key %d was drawn, and its record deletes it", spec.name(), key)
			}
			set[key/3] = n
		}
		requireUniform(t, set, 200)
	}
}

func TestSamplerOfDeletionsOnlyFails(t *testing.T) {
	if testing.Short() {
		t.Skip("a million draws")
	}
	records := plainRecords(20, 0)
	for i := range records {
		records[i].deletes = true
	}
	s := newSampler(t, catalogOf(t, samplerSpecs(records)[0]))
	assert.ErrorIs(t, drawOne(s, 1), catalog.ErrNoLiveRecord)
}

func TestRangeDeletionsAreNotDrawn(t *testing.T) {
	for _, spec := range samplerSpecs(plainRecords(100, 5)) {
		bare := spec
		bare.records, bare.rangeDeletions = nil, 50
		requireUniform(t, drawn(t, newSampler(t, catalogOf(t, bare, spec)), 6, 2000), 100)
	}
}

func TestSamplerOfRangeDeletionsOnlyFails(t *testing.T) {
	spec := samplerSpecs(nil)[0]
	spec.rangeDeletions = 50
	if _, err := catalogOf(t, spec).Sampler(nil); !errors.Is(err, catalog.ErrNoLiveRecord) {
		t.Errorf("error %v", err)
	}
}

// virtualPart returns the part of a table of 1000 records from key smallest to key largest.
func virtualPart(t *testing.T, path string, smallest, largest uint64) catalog.Ref {
	t.Helper()
	fi, err := os.Stat(path)
	require.NoError(t, err)
	return catalog.Ref{
		Level: 6, File: 1, Path: path, Virtual: true, Size: fi.Size() * int64(largest-smallest+1) / 1000,
		Smallest: numberedKey(smallest), Largest: numberedKey(largest),
	}
}

func TestVirtualTableDrawsStayWithinBounds(t *testing.T) {
	oneGoroutine(t)
	for _, exclusive := range []bool{false, true} {
		for _, spec := range samplerSpecs(plainRecords(1000, 30)) {
			path := spec.write(t)
			refs := []catalog.Ref{virtualPart(t, path, 0, 199), virtualPart(t, path, 500, 599)}
			for i := range refs {
				refs[i].LargestExclusive = exclusive
			}
			c, err := ReadCatalog(t.Context(), refs, nil)
			require.NoError(t, err)
			first := 0
			for key, n := range drawn(t, newSampler(t, c), 7, 6000) {
				switch {
				case exclusive && (key == 199 || key == 599), key > 599, key > 199 && key < 500:
					t.Fatalf("%s: key %d was drawn", spec.name(), key)
				case key < 200:
					first += n
				}
			}
			// Two thirds of the records are in the first; 6 sigma.
			if first < 3780 || first > 4220 {
				t.Errorf("%s: %d of 6000 draws from 200 of 300 records", spec.name(), first)
			}
		}
	}
}

func TestShapeOfVirtualTables(t *testing.T) {
	path := samplerSpecs(plainRecords(1000, 30))[1].write(t)
	var parts []catalog.Ref
	for i := range uint64(4) {
		parts = append(parts, virtualPart(t, path, 250*i, 250*i+249))
	}
	whole := virtualPart(t, path, 0, 999)
	whole.Virtual = false
	var total []lsm.Level
	for _, refs := range [][]catalog.Ref{parts, {whole}} {
		c, err := ReadCatalog(t.Context(), refs, nil)
		require.NoError(t, err)
		total = append(total, c.Shape().Total())
	}
	for what, of := range map[string]func(l lsm.Level) int64{
		"records": func(l lsm.Level) int64 { return l.Records }, "data bytes": func(l lsm.Level) int64 { return l.DataBytes },
		"index bytes": func(l lsm.Level) int64 { return l.IndexBytes }, "data blocks": func(l lsm.Level) int64 { return l.DataBlocks },
	} {
		if got, want := of(total[0]), of(total[1]); want == 0 || got > want || got < want-8 {
			t.Errorf("%s: four quarters are %d, the whole is %d", what, got, want)
		}
	}
}

func TestDamagedBlockFailsDraw(t *testing.T) {
	for _, spec := range samplerSpecs(plainRecords(300, 30)) {
		for _, memory := range []int64{1 << 20, 0} {
			c := catalogOf(t, spec)
			path := c.Tables[0].Ref.Path
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			data[100] ^= 0xff
			require.NoError(t, os.WriteFile(path, data, 0o600))
			s, err := c.SamplerWithin(memory, nil)
			require.NoError(t, err)
			defer s.Close()
			for n := uint64(0); err == nil; n++ {
				if n > 10_000 {
					t.Fatalf("%s: damage went unnoticed", spec.name())
				}
				err = drawOne(s, n)
			}
			assert.Contains(t, err.Error(), path, "error %v names no table", err)
		}
	}
}

func TestMissingTableErrorNamesTable(t *testing.T) {
	c := catalogOf(t, samplerSpecs(plainRecords(10, 5))[0])
	ref := c.Tables[0].Ref
	require.NoError(t, os.Remove(ref.Path))
	if _, err := ReadCatalog(t.Context(), []catalog.Ref{ref}, nil); err == nil || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), ref.Path) {
		t.Errorf("error %v", err)
	}
	_, err := c.TableRegions(99, "000099.sst")
	assert.ErrorContains(t, err, "000099")
}

// oneGoroutine skips a test in short runs, which are the race detector's, because the test
// has only one goroutine.
func oneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the test has one goroutine")
	}
}

// requireUniform tests hits on keys 0 to keys-1 against equal chances.
func requireUniform(t *testing.T, hits map[uint64]int, keys int) {
	t.Helper()
	draws := 0
	for key, n := range hits {
		require.Less(t, key, uint64(keys))
		draws += n
	}
	expected := float64(draws) / float64(keys)
	if expected < 5 {
		t.Fatalf("%d draws of %d keys are no test", draws, keys)
	}
	var chi2 float64
	for key := range uint64(keys) {
		d := float64(hits[key]) - expected
		chi2 += d * d / expected
	}
	if limit := (distuv.ChiSquared{K: float64(keys - 1)}).Quantile(0.9999); chi2 > limit {
		t.Errorf("chi-square is %.0f, and at most %.0f once in 10,000 times", chi2, limit)
	}
}

// unevenRecords returns records with values of 10 and of 3000 bytes, in alternating runs of
// the given lengths: blocks of 4096 bytes hold from 2 to about 150 of them.
func unevenRecords(n, small, large int) []testRecord {
	records := plainRecords(n, 10)
	r := rand.New(rand.NewPCG(6, 0))
	for i := range records {
		if i%(small+large) >= small {
			records[i].value = randomBytes(r, 3000)
		}
	}
	return records
}

func TestDrawsAreUniform(t *testing.T) {
	oneGoroutine(t)
	for name, records := range map[string][]testRecord{
		"even":        unevenRecords(2000, 1, 0),
		"mixed":       unevenRecords(2000, 1, 1),
		"long runs":   unevenRecords(2000, 200, 50),
		"short runs":  unevenRecords(2000, 20, 5),
		"rarely full": unevenRecords(2000, 2, 20),
	} {
		for _, table := range bothKinds(records) {
			t.Run(name+"/"+table.name(), func(t *testing.T) {
				t.Parallel()
				requireUniform(t, drawn(t, newSampler(t, catalogOf(t, table)), 1, 30_000), len(records))
			})
		}
	}
}

func TestTablesAreDrawnByRecordCount(t *testing.T) {
	oneGoroutine(t)
	spec := tableSpec{version: 1, format: formatRocksDBv2, blockSize: 512, indexBlockSize: 512, compression: "snappy"}
	small, large, one := spec, spec, spec
	records := plainRecords(1000, 30)
	small.records, large.records, one.records = records[:100], records[100:999], records[999:]
	requireUniform(t, drawn(t, newSampler(t, catalogOf(t, small, large, one)), 2, 20_000), 1000)
}

// TestEveryRecordCanBeDrawn has a block that is fuller than any probed one. All of its
// records must be drawn, if less often than others.
func TestEveryRecordCanBeDrawn(t *testing.T) {
	oneGoroutine(t)
	const keys, first, last = 300, 120, 140
	records := plainRecords(keys, 3000)
	for i := first; i < last; i++ {
		records[i].value = nil
	}
	for _, table := range bothKinds(records) {
		c := catalogOf(t, table)
		hits := drawn(t, newSampler(t, c), 3, 30_000)
		require.Less(t, probedRecords(t, c.Tables[0]), last-first)
		missed := 0
		for key := range uint64(keys) {
			if hits[key] == 0 {
				missed++
			}
		}
		if missed > 0 {
			t.Errorf("%s: %d of %d records were never drawn", table.name(), missed, keys)
		}
	}
}

// probedRecords returns the number of records in the fullest data block that a sampler probes.
func probedRecords(t *testing.T, table *table) (most int) {
	t.Helper()
	f, err := table.Open()
	require.NoError(t, err)
	defer f.Close()
	index, err := table.ReadIndex(f, true)
	require.NoError(t, err)
	probes := min(index.Len(), 64)
	for p := range probes {
		n := 0
		d, err := index.Read(f, p*index.Len()/probes)
		require.NoError(t, err)
		for _, err := range d.Records {
			require.NoError(t, err)
			n++
		}
		most = max(most, n)
	}
	return most
}
