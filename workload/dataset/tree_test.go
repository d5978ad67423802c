package dataset

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomTree returns a tree of a few levels with gaps between tables.
func randomTree(t testing.TB, r *rand.Rand) *Tree {
	t.Helper()
	var tables []Table
	file := uint64(10)
	for _, run := range [][2]int{{0, 0}, {0, 1}, {3, 0}, {5, 0}, {6, 0}} {
		at := r.Uint64N(1 << 60)
		for range 1 + r.IntN(5) {
			keys := 1 + r.Uint64N(300)
			width := keys + r.Uint64N(1<<uint(r.IntN(60)))
			tables = append(tables, Table{File: file, Level: run[0], Sublevel: run[1], First: Prefix(at), Last: Prefix(at + width), Keys: keys})
			file++
			at += width + r.Uint64N(1<<59)
		}
	}
	tree, err := NewTree(tables)
	require.NoError(t, err)
	return tree
}

func TestTreeKeyspaceMatchesTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		tree := randomTree(t, r)
		ks := tree.NewKeyspace(7)
		seen := map[[KeySize]byte]bool{}
		seqs := map[uint64]bool{}
		for i, table := range tree.Tables {
			var before [KeySize]byte
			smallest, largest := tree.Seqs(i)
			c := tree.Cursor(7, i, 0)
			for n := range table.Keys {
				var key [KeySize]byte
				index, seq := c.Next(&key)
				if index != tree.FirstKey(i)+n || keyOf(ks, index) != key {
					t.Fatalf("table %d, record %d: key %d %x, the key space has %x", i, n, index, key, keyOf(ks, index))
				}
				if n > 0 && bytes.Compare(before[:8], key[:8]) >= 0 {
					t.Fatalf("table %d, record %d: %x does not follow %x", i, n, key, before)
				}
				if p := Prefix(be64(key[:])); p < table.First || p >= table.Last {
					t.Fatalf("table %d, record %d: %x is not within %x to %x", i, n, key, table.First, table.Last)
				}
				if seq < smallest || seq > largest || (seq == 0) != (table.Level == 6) || seqs[seq] && seq != 0 {
					t.Fatalf("table %d of level %d, record %d: sequence number %d of %d to %d", i, table.Level, n, seq, smallest, largest)
				}
				seen[key], seqs[seq], before = true, true, key
				at := tree.Cursor(7, i, n)
				var again [KeySize]byte
				if j, s := at.Next(&again); j != index || s != seq || again != key {
					t.Fatalf("table %d from record %d on: %d %d %x, want %d %d %x", i, n, j, s, again, index, seq, key)
				}
			}
		}
		if uint64(len(seen)) != tree.Keys() || ks.Len() != tree.Keys() {
			t.Fatalf("%d distinct keys of %d", len(seen), tree.Keys())
		}
		for r := range uint64(500) {
			if absent := absentOf(ks, r); seen[absent] {
				t.Fatalf("absent key %x exists", absent)
			}
		}
	}
}

// Newer runs have higher sequence numbers; the last sublevel of L0 has the highest.
func TestNewerRunsHaveHigherSequenceNumbers(t *testing.T) {
	tree := randomTree(t, rand.New(rand.NewPCG(2, 2)))
	before := tree.Keys() + 1
	for _, run := range [][2]int{{0, 1}, {0, 0}, {3, 0}, {5, 0}} {
		var smallest uint64
		for i, table := range tree.Tables {
			if table.Level != run[0] || table.Sublevel != run[1] {
				continue
			}
			var largest uint64
			if smallest, largest = tree.Seqs(i); largest >= before {
				t.Fatalf("level %d.%d has sequence numbers up to %d, but the newer run starts at %d", table.Level, table.Sublevel, largest, before)
			}
		}
		before = smallest
	}
}

func be64(b []byte) (n uint64) {
	for _, c := range b[:8] {
		n = n<<8 | uint64(c)
	}
	return n
}

func TestTreeRejectsInvalidTables(t *testing.T) {
	for name, tables := range map[string][]Table{
		"at least one table":     nil,
		"no level 7":             {{File: 1, Level: 7, Last: 10, Keys: 1}},
		"no sublevel 1":          {{File: 1, Level: 3, Sublevel: 1, Last: 10, Keys: 1}},
		"no keys":                {{File: 1, Level: 3, Last: 10}},
		"no room for 11 keys":    {{File: 1, Level: 3, Last: 10, Keys: 11}},
		"numbers do not ascend":  {{File: 2, Level: 3, Last: 10, Keys: 1}, {File: 2, Level: 4, Last: 10, Keys: 1}},
		"overlaps the table bef": {{File: 1, Level: 3, Last: 10, Keys: 1}, {File: 2, Level: 3, First: 9, Last: 20, Keys: 1}},
	} {
		_, err := NewTree(tables)
		assert.ErrorContains(t, err, name)
	}
}

func TestTreeFileRoundTrip(t *testing.T) {
	dir := t.TempDir()
	tree := randomTree(t, rand.New(rand.NewPCG(3, 3)))
	require.NoError(t, tree.Write(dir))
	again, err := ReadTree(dir)
	require.NoError(t, err)
	for i := range tree.Tables {
		require.Equal(t, tree.Tables[i], again.Tables[i], "table %d", i)
	}
	if a, b := again.NewKeyspace(1), tree.NewKeyspace(1); keyOf(a, 5) != keyOf(b, 5) {
		t.Error("the tree's keys changed")
	}
	path := filepath.Join(dir, TreeName)
	for text, want := range map[string]string{
		"{":                           "invalid JSON",
		`{"schema":"getio.tree/9"}`:   "use the getio that wrote it",
		`{"schema":"getio.tree/1"}`:   "at least one table",
		`{"tables":[{"first":"xy"}]}`: "invalid JSON",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		if _, err := ReadTree(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err = ReadTree(t.TempDir())
	assert.ErrorContains(t, err, "is missing")
}

func TestChoiceIsIndexOfValue(t *testing.T) {
	v := mustValues(t, ValuesPool32, 40, 9)
	members, choice := v.Pool()
	for i := range uint64(200) {
		require.Equal(t, v.Value(i, nil), members[choice(i)], "key %d", i)
	}
}

func BenchmarkCursor(b *testing.B) {
	tree, err := NewTree([]Table{{File: 1, Level: 5, Last: 1 << 63, Keys: 1 << 30}})
	require.NoError(b, err)
	key := new([KeySize]byte)
	c := tree.Cursor(1, 0, 0)
	for range b.N {
		c.Next(key)
	}
}

// TestRankCountsKeys compares Rank with a count.
func TestRankCountsKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 30 {
		tree := randomTree(t, r)
		for i, table := range tree.Tables {
			var keys [][KeySize]byte
			c := tree.Cursor(7, i, 0)
			for range table.Keys {
				var key [KeySize]byte
				c.Next(&key)
				keys = append(keys, key)
			}
			for range 50 {
				probe := keys[r.IntN(len(keys))]
				switch r.IntN(3) {
				case 0:
					probe[r.IntN(KeySize)]++
				case 1:
					probe[r.IntN(KeySize)]--
				}
				short := probe[:1+r.IntN(KeySize)]
				want := uint64(0)
				for _, key := range keys {
					if bytes.Compare(key[:], short) <= 0 {
						want++
					}
				}
				require.Equal(t, want, tree.Rank(7, i, short), "table %d: keys up to %x", i, short)
			}
		}
	}
}
