package lsm

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomL0 returns tables over a few keys, so that many of them touch, nest and overlap.
func randomL0(r *rand.Rand) []L0Table {
	tables := make([]L0Table, r.IntN(24))
	keys := 2 + r.IntN(20)
	for i := range tables {
		a, b := byte(r.IntN(keys)), byte(r.IntN(keys))
		tables[i] = L0Table{
			Table:  Table{File: uint64(i + 1), Smallest: Key{min(a, b)}, Largest: Key{max(a, b)}},
			Newest: uint64(100 + i),
		}
		if a != b {
			tables[i].Exclusive = r.IntN(3) == 0
		}
	}
	r.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
	return tables
}

// shareKey reports whether the tables have a key in common. It tries every bound and a key
// between any two.
func shareKey(a, b L0Table) bool {
	holds := func(t L0Table, key []byte) bool {
		return bytes.Compare(key, t.Smallest) >= 0 && bytes.Compare(key, t.Largest) <= 0 &&
			!(t.Exclusive && bytes.Equal(key, t.Largest))
	}
	for k := range 30 {
		for _, key := range [][]byte{{byte(k)}, {byte(k), 0x80}} {
			if holds(a, key) && holds(b, key) {
				return true
			}
		}
	}
	return false
}

// byFile returns the input tables by file number, with the assigned sublevels.
func byFile(l0 []L0Table, tables []Table) map[uint64]L0Table {
	joined := map[uint64]L0Table{}
	for _, a := range l0 {
		joined[a.File] = a
	}
	for _, t := range tables {
		a := joined[t.File]
		a.Table = t
		joined[t.File] = a
	}
	return joined
}

// No two tables of a sublevel overlap then: the newer one is above the older one.
func TestSublevelIsOneAboveHighestOlderOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	deepest := 0
	for range 300 {
		l0 := randomL0(r)
		tables := byFile(l0, AssignSublevels(l0))
		require.Len(t, tables, len(l0))
		for _, a := range tables {
			deepest = max(deepest, a.Sublevel)
			want := 0
			for _, b := range tables {
				if b.Newest < a.Newest && shareKey(a, b) {
					want = max(want, b.Sublevel+1)
				}
			}
			require.Equal(t, want, a.Sublevel, "sublevel of table %d [%x,%x]", a.File, a.Smallest, a.Largest)
		}
	}
	assert.GreaterOrEqual(t, deepest, 5, "no tree had more than %d sublevels, too few to test anything", deepest+1)
}

func TestSublevelsAreIndependentOfInputOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 100 {
		l0 := randomL0(r)
		want := byFile(l0, AssignSublevels(l0))
		r.Shuffle(len(l0), func(i, j int) { l0[i], l0[j] = l0[j], l0[i] })
		for file, got := range byFile(l0, AssignSublevels(l0)) {
			require.Equal(t, want[file].Sublevel, got.Sublevel, "sublevel of table %d with another input order", file)
		}
	}
}

func TestAssignSublevelsDoesNotModifyItsArgument(t *testing.T) {
	l0 := []L0Table{
		{Table: Table{File: 2, Smallest: Key{1}, Largest: Key{5}}, Newest: 9},
		{Table: Table{File: 1, Smallest: Key{1}, Largest: Key{5}}, Newest: 3},
	}
	AssignSublevels(l0)
	if l0[0].File != 2 || l0[0].Sublevel != 0 {
		t.Errorf("the argument is now %+v", l0)
	}
}
