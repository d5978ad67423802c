package measure

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/workload"
)

// TestStagesCountTheirPhase checks that a phase's last stage has the counts of all its Gets.
func TestStagesCountTheirPhase(t *testing.T) {
	const warmup, gets = 150_000, 130_000
	var names []string
	last := map[string]Stage{}
	s := newFakeStore(func(n int64) int64 { return n / 50_000 }) // never steady
	r, err := measureFake(s, Options{Workload: workload.Workload{Gets: gets, Warmup: workload.WarmupGets(warmup), Workers: 3, MoreRuns: 2}, Progress: func(s Stage) {
		name := s.Name()
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		if before := last[name]; s.Done <= before.Done || s.Took < before.Took {
			t.Errorf("%s goes from %d Gets in %v to %d in %v", name, before.Done, before.Took, s.Done, s.Took)
		}
		last[name] = s
	}})
	require.NoError(t, err)
	assert.Equal(t, []string{"warm-up", "measure", "split", "go on 1 of up to 2", "go on 2 of up to 2"}, names)
	for _, name := range names {
		s := last[name]
		if asked := s.Counts.Accesses.Count[readpath.Data]; asked != s.Done || s.CacheBytes != 1<<20 {
			t.Errorf("%s of a cache of %d bytes: %d data accesses for %d Gets", name, s.CacheBytes, asked, s.Done)
		}
	}
	if got, want := last["measure"].Counts.Reads.Count[readpath.Data], r.Components["data"].Misses; got != want || last["measure"].Done != gets {
		t.Errorf("%d misses in %d Gets at the end of the measured phase, the result has %d", got, last["measure"].Done, want)
	}
	for i, c := range r.Continued {
		name := Stage{Phase: PhaseContinue, Part: i + 1, Parts: 2}.Name()
		assert.Equal(t, c.Components["data"].Misses, last[name].Counts.Reads.Count[readpath.Data], name)
	}
}
