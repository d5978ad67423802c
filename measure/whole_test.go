package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/workload"
)

// TestWhole adds up two runs of which the first takes longer than expected, and a third that was made
// before.
func TestWhole(t *testing.T) {
	w := NewWhole(3)
	expect := func(s Stage, thirds float64) {
		t.Helper()
		assert.InDelta(t, thirds/3, w.Add(s, 1000), 1e-9)
	}
	expect(Stage{Phase: PhaseWarmUp, Done: 50, Total: 100}, 0.05)
	expect(Stage{Phase: PhaseWarmUp, Done: 100, Total: 100}, 0.1)
	expect(Stage{Phase: PhaseMeasure, Done: 600, Total: 900}, 0.7)
	expect(Stage{Phase: PhaseMeasure, Done: 100, Total: 900}, 0.7)  // measured again: 800 of 1,600
	expect(Stage{Phase: PhaseMeasure, Done: 900, Total: 900}, 0.99) // it may go on
	expect(Stage{Phase: PhaseSplit, Done: 10, Total: 100}, 0.99)
	w.Finish()
	expect(Stage{Phase: PhaseWarmUp, Done: 100, Total: 100}, 1.1)
	w.Finish()
	w.Finish()
	expect(Stage{Phase: PhaseWarmUp, Done: 1, Total: 1}, 3) // no run is left
	assert.Zero(t, (&Whole{}).Add(Stage{Done: 1, Total: 2}, 2))
}

// TestLeastGetsFillTheCache: an automatic warm-up fills the whole cache, with index blocks if they suffice, or reads all data blocks.
func TestLeastGetsFillTheCache(t *testing.T) {
	s := newFakeStore(nil).shape
	o, all := newPlan(s, Options{Workload: workload.Workload{Gets: 900, Warmup: workload.AutoWarmup}}), s.Total().DataBlocks
	none := o.leastGets(s, 0)
	assert.EqualValues(t, none+1, o.leastGets(s, 2*blockBytes)) // an index block and a data block
	assert.EqualValues(t, none+4096, o.leastGets(s, 4096*blockBytes))
	assert.EqualValues(t, none+all, o.leastGets(s, (all+100)*blockBytes))
	assert.EqualValues(t, 1000, newPlan(s, Options{Workload: workload.Workload{Gets: 900, Warmup: workload.WarmupGets(100)}}).leastGets(s, 1<<30))
}

// TestEffort: a Get of the split takes as long as several others, and a run that takes no sample has none.
func TestEffort(t *testing.T) {
	s := newFakeStore(nil).shape
	p := newPlan(s, Options{Workload: workload.Workload{Gets: 900, Warmup: workload.WarmupGets(100), Workers: 1}})
	assert.EqualValues(t, 1000, p.expectedEffort(s, 1<<20, true))
	assert.EqualValues(t, 1000+900*slowerUncached, p.expectedEffort(s, 1<<20, false))
	assert.EqualValues(t, 10*slowerUncached, p.effort(Stage{Phase: PhaseSplit, Done: 10}).Done)
	assert.EqualValues(t, 10, p.effort(Stage{Phase: PhaseMeasure, Done: 10}).Done)
	p.NoSplit = true
	assert.EqualValues(t, 1000, p.expectedEffort(s, 1<<20, false))
	p.NoSplit, p.ExactSplit = false, true
	assert.EqualValues(t, 1000+900*slowerUncached, p.expectedEffort(s, 1<<20, true))
}
