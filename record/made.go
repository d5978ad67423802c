package record

import (
	"getio/numbers/units"
	"getio/workload"
	"getio/workload/popularity"
)

// Made is what was made of a workload: the Gets, or other operations, of a run.
type Made struct {
	Kind string `json:"kind"` // "uniform", "zipf", "hotset", or "trace" (keys as a file lists them)
	popularity.Popularity
	// HitFraction is the share of Gets of existing keys; of scans, those that begin with one; of a trace, as counted.
	HitFraction float64 `json:"hit_fraction"`
	Workers     int     `json:"workers"`     // concurrent readers
	Seed        uint64  `json:"seed"`        // of the requested keys; 0 for a trace
	WarmupGets  int64   `json:"warmup_gets"` // before the measured ones
	// WarmupChosenGets is how many of the warm-up's Gets, the first ones, had keys chosen for their blocks.
	WarmupChosenGets int64  `json:"warmup_chosen_gets,omitempty"`
	WarmupRule       string `json:"warmup_rule"` // "auto", "auto of all sides" (the longest that a side needs), a share of the keys, or a number
	Gets             int64  `json:"gets"`        // measured
	// GetsRule is "auto" if the number of Gets depended on what they showed.
	GetsRule string `json:"gets_rule,omitempty"`
	workload.Files
	// Updates is how many writes have overwritten keys since the load, those beside the Gets included.
	Updates int64 `json:"updates,omitempty"`
	workload.Operation
	// Lookup is "prefix_seek" if iterators that consult the last level's filters looked the keys up.
	Lookup string `json:"lookup,omitempty"`
}

// LookupSeek is a seek for the key as a prefix, which consults the filters of the last level.
const LookupSeek = "prefix_seek"

// GetsAuto is the rule by which a run makes Gets until it is known whether it is steady.
const GetsAuto = "auto"

// NewMade returns what is known of a run's operations before it, but for their keys.
func NewMade(w workload.Workload) Made {
	m := Made{Workers: w.Workers, WarmupRule: w.Warmup.String(), Gets: w.Gets, Operation: w.Operation}
	if m.Operation.Kind.IsGet() {
		m.Operation.Kind = ""
	}
	return m
}

// SetKeys sets what is known of the keys before a run. Which of a trace's exist is counted.
func (m *Made) SetKeys(k workload.Keys) {
	m.Kind, m.Files = k.Distribution(), k.Files
	if k.Trace == "" {
		m.Popularity, m.Seed, m.HitFraction = k.Popularity, k.Seed, 1-k.Absent
	}
}

// Asked returns the workload that was asked for, as far as a record shows it.
func (m Made) Asked() workload.Workload {
	w := workload.Workload{
		Keys:      workload.Keys{Seed: m.Seed, Popularity: m.Popularity, Files: m.Files},
		Operation: m.Operation, Gets: m.Gets, Workers: m.Workers,
	}
	if m.TraceSHA256 != "" {
		w.Warmup = workload.WarmupGets(m.WarmupGets)
		return w
	}
	w.Absent = 1 - m.HitFraction
	w.Warmup = workload.RecordedWarmup(m.WarmupRule)
	return w
}

// Facts says in words which operations were made, beside their number and keys; "" for Gets.
func (m Made) Facts() string {
	var facts []string
	w := m.Asked()
	for _, s := range w.Settings() {
		facts = append(facts, s.Fact)
	}
	return units.Join(facts...)
}

// Settings returns the settings of the run's workload.
func (r *Result) Settings() []workload.Setting {
	w := r.Workload.Asked()
	w.Rate = r.TargetRate()
	return w.Settings()
}

// RandomWarmupGets returns the number of warm-up Gets with random keys.
func (m Made) RandomWarmupGets() int64 { return m.WarmupGets - m.WarmupChosenGets }

// Operation is what operations are called.
type Operation = workload.Words

// Words returns what the workload's operations are called.
func (m Made) Words() Operation { return m.Operation.Kind.Words() }
