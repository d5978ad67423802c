package readpath

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func randomCounts(r *rand.Rand) (p PerComponent) {
	for c := range p {
		p[c] = r.Int64N(1 << 40)
	}
	return p
}

func TestSum(t *testing.T) {
	var p PerComponent
	for c := range p {
		p[c] = 1 << (8 * c / 2)
	}
	assert.EqualValues(t, 0x1111111, p.Sum())
}

// TestBlocks: neither blobs nor what opens files are blocks of the block cache.
func TestBlocks(t *testing.T) {
	p := PerComponent{Filter: 1, TopIndex: 20, Index: 300, Data: 4000, Blob: 50_000, TableOpen: 600_000, Other: 7_000_000}
	assert.EqualValues(t, 7_004_321, p.Blocks())
}

// TestReportedComponents: blobs are reported where there are any, and all other components always.
func TestReportedComponents(t *testing.T) {
	assert.Equal(t, []Component{Filter, TopIndex, Index, Data, TableOpen, Other}, PerComponent{}.Components())
	all := Components()
	assert.Equal(t, all[:], PerComponent{Blob: 1}.Components())
}

func TestSubUndoesAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		p, q := randomCounts(r), randomCounts(r)
		both := p.Add(q)
		if both.Sub(q) != p || both.Sub(p) != q || both.Sum() != p.Sum()+q.Sum() {
			t.Fatalf("p %v, q %v: p+q is %v", p, q, both)
		}
	}
}

func TestReadsSub(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	before := Reads{Count: randomCounts(r), Bytes: randomCounts(r), Footers: 3, Misplaced: 1}
	run := Reads{Count: randomCounts(r), Bytes: randomCounts(r), Footers: 70, Misplaced: 9}
	after := Reads{
		Count: before.Count.Add(run.Count), Bytes: before.Bytes.Add(run.Bytes),
		Footers: before.Footers + run.Footers, Misplaced: before.Misplaced + run.Misplaced,
	}
	assert.Equal(t, run, after.Sub(before))
}

func TestSubSplitIsExactOnlyIfBothAre(t *testing.T) {
	for _, c := range []struct{ a, b, want bool }{
		{true, true, true}, {true, false, false}, {false, true, false}, {false, false, false},
	} {
		assert.Equal(t, c.want, (Accesses{SplitExact: c.a}).Sub(Accesses{SplitExact: c.b}).SplitExact, "%v and %v", c.a, c.b)
	}
}

func TestAccessesSub(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	before := Accesses{Count: randomCounts(r), Probed: 17}
	run := Accesses{Count: randomCounts(r), Probed: 5}
	after := Accesses{Count: before.Count.Add(run.Count), Probed: 22}
	assert.Equal(t, run, after.Sub(before))
}
