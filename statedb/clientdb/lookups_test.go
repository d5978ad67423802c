//go:build cgo

package clientdb

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/mdbxfile"
	"getio/internal/mdbxtest"
	"getio/statedb/adapter"
	"getio/workload"
	"getio/workload/popularity"
)

// drawnFrom returns lookups in the tables of a database.
func drawnFrom(t *testing.T, dir string, random workload.Keys, n int64, tables ...string) ([]*lookups, error) {
	p := newPlan(t, dir)
	p.Keys, p.Tables = random, tables
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
		base, err := drawnFrom(t, dir, workload.Keys{Seed: 3, Popularity: p}, 4000)
		require.NoError(t, err)
		half, err := drawnFrom(t, dir, workload.Keys{Seed: 3, Absent: 0.5, Popularity: p}, 4000)
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

// TestNoAbsentKeys: a table that holds all keys of one byte is refused.
func TestNoAbsentKeys(t *testing.T) {
	dir := t.TempDir()
	mdbxtest.NoneAbsent(t, dir)
	_, err := drawnFrom(t, dir, workload.Keys{Absent: 0.5}, 100, "full")
	assert.ErrorContains(t, err, "table full holds everything that 100 of its keys were changed into, so no absent keys can be made: choose another table with --table, or leave --absent out")
}

// TestAnswers: a run ends if the answer of MDBX differs from the pages of the file.
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
		{existing, adapter.Answer{}, "MDBX does not find the key 6b, which its pages hold"},
		{existing, adapter.Answer{Found: true, Value: []byte("w")}, "MDBX finds another value of the key 6b than the one in its pages"},
		{large, adapter.Answer{Found: true, Value: []byte("w")}, ""},
		{absent, adapter.Answer{}, ""},
		{absent, adapter.Answer{Found: true, Value: []byte("w")}, ""}, // the next value
		{absent, adapter.Answer{Found: true, Value: []byte("v")}, "MDBX finds the key 6b with the value 76, which its pages do not hold"},
		{lookup{Entry: large.Entry, absent: true}, adapter.Answer{Found: true}, "MDBX finds the key 6b with the value"},
	} {
		if err := c.lookup.check(c.answer); c.says == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, c.says)
		}
	}
}
