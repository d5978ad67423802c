package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// Reads per Get of simulated runs: below IP1, between IP1 and IP2, and above IP2, as of Pebble with 2M keys.
var simulated = map[string]map[string]float64{
	"below IP1": {"filter": 0.2, "top_index": 0.29, "index": 0.97, "data": 1.002},
	"to IP2":    {"filter": 0.0033, "top_index": 0.0039, "index": 0.44, "data": 1.002},
	"above IP2": {"filter": 0.0001, "top_index": 0.0001, "index": 0.001, "data": 0.99},
}

// simulate makes a run whose reads of each component are a Poisson process, multiplied by 1 + rise.
func simulate(r *rand.Rand, reads map[string]float64, rise map[string]float64, gets int64) *record.Result {
	steady := true
	m := &record.Result{Workload: record.Made{Gets: gets}}
	m.IOsPerGet.Steady = &steady
	risen := map[string]float64{}
	for name, mean := range reads {
		risen[name] = mean * (1 + rise[name])
	}
	const windows = 20
	fill(m, risen, 4096, windows, func(_ int, mean float64) float64 {
		return mean + math.Sqrt(mean*windows/float64(gets))*r.NormFloat64()
	})
	return m
}

// verdicts counts the verdicts on pairs of simulated runs, each from a seed of its own.
func verdicts(t *testing.T, pairs int, reads, rise map[string]float64, gets int64, maxRise float64) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for seed := range pairs {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(gets)))
		lines, err := Rises([]*record.Result{simulate(r, reads, nil, gets)}, []*record.Result{simulate(r, reads, rise, gets)}, maxRise)
		require.NoError(t, err)
		counts[lines[0].Verdict]++
	}
	return counts
}

func all(rise float64) map[string]float64 {
	return map[string]float64{"filter": rise, "top_index": rise, "index": rise, "data": rise}
}

// TestFalseAlarms: of pairs that differ in nothing but the seed, none is called a rise; nor are more than 5% of
// those in which every component rose by just what is allowed, however many figures are judged.
func TestFalseAlarms(t *testing.T) {
	const pairs = 200
	for name, reads := range simulated {
		for _, gets := range []int64{40_000, 400_000} {
			got := verdicts(t, pairs, reads, nil, gets, 0.02)
			assert.Zero(t, got[record.GateRise], "%s, %d Gets: %v", name, gets, got)
			got = verdicts(t, pairs, reads, all(0.02), gets, 0.02)
			assert.LessOrEqual(t, got[record.GateRise], pairs*5/100, "%s, %d Gets, a rise by what is allowed: %v", name, gets, got)
		}
		got := verdicts(t, pairs, reads, nil, 400_000, 0.02)
		assert.GreaterOrEqual(t, got[record.GateNone], pairs*98/100, "%s: pairs without a rise are known to have none: %v", name, got)
	}
}

// TestPower: rises of 5% are found, also where only one component rose.
func TestPower(t *testing.T) {
	const pairs = 200
	for name, reads := range simulated {
		got := verdicts(t, pairs, reads, all(0.05), 400_000, 0.02)
		assert.GreaterOrEqual(t, got[record.GateRise], pairs*99/100, "%s: %v", name, got)
	}
	got := verdicts(t, pairs, simulated["to IP2"], map[string]float64{"index": 0.1}, 400_000, 0.02)
	assert.GreaterOrEqual(t, got[record.GateRise], pairs*99/100, "index alone: %v", got)
}

// TestGetsNeededSuffice: most pairs of runs that are too short have a verdict once they are as long as the gate
// said.
func TestGetsNeededSuffice(t *testing.T) {
	for _, rise := range []float64{0, 0.04} {
		told, pairs := 0, 0
		for seed := range 200 {
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			judge := func(gets int64) *record.Gate {
				base, side := simulate(r, simulated["to IP2"], nil, gets), simulate(r, simulated["to IP2"], all(rise), gets)
				lines, err := Rises([]*record.Result{base}, []*record.Result{side}, 0.02)
				require.NoError(t, err)
				return lines[0]
			}
			short := judge(10_000)
			var needed int64
			for _, f := range short.Figures[:2] {
				needed = max(needed, f.GetsNeeded)
			}
			if short.Verdict != record.GateCannotTell || needed == 0 {
				continue
			}
			pairs++
			if judge(needed).Verdict != record.GateCannotTell {
				told++
			}
		}
		assert.Greater(t, pairs, 100, "a rise of %g", rise)
		assert.Greater(t, float64(told)/float64(pairs), 0.7, "a rise of %g: %d of %d", rise, told, pairs)
		t.Logf("a rise of %g: %d of %d", rise, told, pairs)
	}
}
