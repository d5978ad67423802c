package record_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/record"
	"getio/workload"
	"getio/workload/popularity"
)

// TestAskedIsWhatWasAskedFor: a record shows the workload from which it was made.
func TestAskedIsWhatWasAskedFor(t *testing.T) {
	for _, w := range []workload.Workload{
		{
			Keys: workload.Keys{
				Seed: 3, Absent: 0.25, Popularity: popularity.Popularity{Zipf: 0.9},
				Files: workload.Files{KeysFile: "k", KeysSHA256: "s"},
			},
			Operation: workload.Operation{Kind: workload.Scan, Records: 5}, Gets: 1000, Warmup: workload.WarmupGets(10), Workers: 2,
		},
		{Keys: workload.Keys{Seed: 1}, Warmup: workload.AutoWarmup, Workers: 1},
		{Warmup: workload.AgreedWarmup(0), Workers: 1},
	} {
		m := record.NewMade(w)
		m.SetKeys(w.Keys)
		assert.Equal(t, w, m.Asked())
	}
	traced := workload.Workload{
		Keys:      workload.Keys{Files: workload.Files{Trace: "t", TraceSHA256: "s"}},
		Operation: workload.Operation{Kind: workload.Multiget, Records: 8}, Gets: 7, Warmup: workload.WarmupGets(2), Workers: 1,
	}
	m := record.NewMade(traced)
	m.SetKeys(traced.Keys)
	m.WarmupGets, m.HitFraction = 2, 0.5 // counted
	assert.Equal(t, traced, m.Asked())
	assert.Equal(t, "trace", m.Kind)
	for _, rule := range []string{"", "until full", "until flat"} {
		assert.NotEqual(t, workload.WarmupGets(0), record.Made{WarmupRule: rule}.Asked().Warmup, "the rule %q of another getio", rule)
	}
	assert.NotEqual(t, record.Made{WarmupRule: "until full"}.Asked(), record.Made{WarmupRule: "until flat"}.Asked())
	assert.Empty(t, record.NewMade(workload.Workload{Operation: workload.Operation{Kind: workload.Get}}).Operation, "records name no Gets")
}
