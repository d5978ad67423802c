package sstfile

import (
	"math/rand/v2"
	"testing"

	"getio/engine"
	"getio/engine/catalog"

	"gonum.org/v1/gonum/stat/distuv"
)

// catalogOf writes the tables and reads their catalog.
func catalogOf(t testing.TB, specs ...tableSpec) *Catalog {
	t.Helper()
	var refs []catalog.Ref
	for i, s := range specs {
		refs = append(refs, catalog.Ref{Level: 6, File: uint64(i + 1), Path: s.write(t)})
	}
	c, err := ReadCatalog(t.Context(), refs, nil)
	check(t, err)
	return c
}

// drawn draws keys and counts them by their number.
func drawn(t testing.TB, s engine.Sampler, seed uint64, draws int) map[uint64]int {
	t.Helper()
	rand := rand.New(rand.NewPCG(seed, 0)).Uint64
	hits := map[uint64]int{}
	var key []byte
	for range draws {
		var err error
		key, err = s.Draw(rand, key)
		check(t, err)
		hits[keyNumber(key)]++
	}
	return hits
}

// holdUniform tests hits on keys 0 to keys-1 against equal chances.
func holdUniform(t *testing.T, hits map[uint64]int, keys int) {
	t.Helper()
	draws := 0
	for key, n := range hits {
		if key >= uint64(keys) {
			t.Fatalf("key %d was drawn", key)
		}
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

// uneven records have values of 10 and of 3000 bytes, in runs of the given
// lengths by turns: blocks of 4096 bytes hold from 2 to about 150 of them.
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
		for _, table := range []tableSpec{
			{version: 1, format: formatRocksDBv2, blockSize: 4096, indexBlockSize: 4096},
			{version: 2, format: formatPebblev7, blockSize: 4096, indexBlockSize: 256},
		} {
			table.records, table.compression = records, "none"
			t.Run(name+"/"+table.name(), func(t *testing.T) {
				t.Parallel()
				s, err := catalogOf(t, table).Sampler()
				check(t, err)
				defer s.Close()
				holdUniform(t, drawn(t, s, 1, 30_000), len(records))
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
	s, err := catalogOf(t, small, large, one).Sampler()
	check(t, err)
	defer s.Close()
	holdUniform(t, drawn(t, s, 2, 20_000), 1000)
}

// A block that is fuller than any that was probed has no hidden records: they
// are drawn, if more seldom than others.
func TestEveryRecordCanBeDrawn(t *testing.T) {
	oneGoroutine(t)
	const keys, first, last = 300, 120, 140
	records := plainRecords(keys, 3000)
	for i := first; i < last; i++ {
		records[i].value = nil
	}
	for _, table := range []tableSpec{
		{version: 1, format: formatRocksDBv2, blockSize: 4096, indexBlockSize: 4096},
		{version: 2, format: formatPebblev7, blockSize: 4096, indexBlockSize: 256},
	} {
		table.records, table.compression = records, "none"
		c := catalogOf(t, table)
		s, err := c.Sampler()
		check(t, err)
		defer s.Close()
		hits := drawn(t, s, 3, 30_000)
		if probed := probedRecords(t, c.Tables[0]); probed >= last-first {
			t.Fatalf("the full block was probed: %d slots", probed)
		}
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

// probedRecords is how many records the fullest of the data blocks has that a sampler probes.
func probedRecords(t *testing.T, table *table) (most int) {
	t.Helper()
	f, err := table.Open()
	check(t, err)
	defer f.Close()
	index, err := table.ReadIndex(f, true)
	check(t, err)
	probes := min(index.Len(), 64)
	for p := range probes {
		n := 0
		check(t, index.Read(f, p*index.Len()/probes, func(records catalog.Records) error {
			return records(func([]byte, catalog.Record) bool { n++; return true })
		}))
		most = max(most, n)
	}
	return most
}
