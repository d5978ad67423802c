//go:build cgo

package clientdb

import (
	"testing"

	mdbxlib "github.com/erigontech/mdbx-go/mdbx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/dataset/popularity"
	"getio/measure/workload"
	"getio/outside/adapter"
	"getio/outside/mdbxfile"
	"getio/outside/mdbxfile/mdbxtest"
)

// drawnFrom returns lookups in the tables of a database.
func drawnFrom(t *testing.T, dir string, random workload.Random, n int64) ([]*lookups, error) {
	p := newPlan(t, dir)
	p.Random = random
	m, err := p.prepare()
	require.NoError(t, err)
	defer func() { require.NoError(t, m.close()) }()
	return m.lookups, m.draw(t.Context(), n)
}

// TestExistingLookupsStay: lookups of existing entries are the same whatever share is absent, and
// absent ones are as popular as the entries that they are made from.
func TestExistingLookupsStay(t *testing.T) {
	dir := t.TempDir()
	mdbxtest.New(t, dir, 3000).Close()
	for _, p := range []popularity.Popularity{{}, {Zipf: 1.2}} {
		base, err := drawnFrom(t, dir, workload.Random{Seed: 3, Popularity: p}, 4000)
		require.NoError(t, err)
		half, err := drawnFrom(t, dir, workload.Random{Seed: 3, Absent: 0.5, Popularity: p}, 4000)
		require.NoError(t, err)
		for i, table := range base {
			absent, different := 0, map[string]bool{}
			for j, l := range table.drawn {
				got := half[i].drawn[j]
				if !got.absent {
					require.Equal(t, l, got)
					continue
				}
				absent++
				different[string(got.Key)+"/"+string(got.Value)] = true
			}
			assert.InDelta(t, 0.5, float64(absent)/float64(len(table.drawn)), 0.05)
			if p.Uniform() {
				assert.Len(t, different, absent)
			} else {
				assert.LessOrEqual(t, len(different), len(half[i].known))
				assert.Less(t, len(different), absent/2)
			}
		}
	}
}

// TestNoAbsentKeys: a table that holds all keys of a length is refused.
func TestNoAbsentKeys(t *testing.T) {
	dir := t.TempDir()
	mdbxtest.Write(t, dir, func(txn *mdbxlib.Txn) error {
		table, err := txn.OpenDBISimple("full", mdbxlib.Create)
		require.NoError(t, err)
		for i := range 256 {
			require.NoError(t, txn.Put(table, []byte{byte(i)}, nil, 0))
		}
		return nil
	})
	_, err := drawnFrom(t, dir, workload.Random{Absent: 0.5}, 100)
	assert.ErrorContains(t, err, "no absent keys were found for table full in 100 tries, for instance none like ")
	assert.ErrorContains(t, err, ": choose another table with --table, or leave --absent out")
}

// TestAnswers: what MDBX answers is held against what the pages hold.
func TestAnswers(t *testing.T) {
	existing := lookup{Entry: mdbxfile.Entry{Key: []byte("k"), Value: []byte("v")}}
	large := lookup{Entry: mdbxfile.Entry{Key: []byte("k")}}
	absent := lookup{Entry: existing.Entry, absent: true}
	for _, c := range []struct {
		lookup lookup
		answer adapter.Answer
		says   string
	}{
		{existing, adapter.Answer{Found: true, Value: []byte("v")}, ""},
		{existing, adapter.Answer{}, "MDBX does not find the key 6b, and its pages hold it"},
		{existing, adapter.Answer{Found: true, Value: []byte("w")}, "MDBX finds another value of the key 6b than its pages hold"},
		{large, adapter.Answer{Found: true, Value: []byte("w")}, ""},
		{absent, adapter.Answer{}, ""},
		{absent, adapter.Answer{Found: true, Value: []byte("w")}, ""}, // the next value
		{absent, adapter.Answer{Found: true, Value: []byte("v")}, "MDBX finds the key 6b with the value 76, and its pages do not hold them"},
		{lookup{Entry: large.Entry, absent: true}, adapter.Answer{Found: true}, "MDBX finds the key 6b with the value"},
	} {
		if err := c.lookup.check(c.answer); c.says == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.says)
		}
	}
}
