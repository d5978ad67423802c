// Package cell defines cells, the format of the plan file that lists them, and the directory that keeps
// their records until they are merged. Package plan makes plans.
//
// A cell is one of:
//
//   - a cache size of a sweep or a reproduction,
//   - a round of a comparison at one cache size, with all its sides,
//   - a state database with one number of keys.
//
// Cells are independent and run anywhere, in any order: the plan determines everything that several of
// them share. A plan is a list of cells, one per line.
package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"getio/engine"
	"getio/measure"
	"getio/measure/database"
	"getio/record"
	"getio/statedb"
	"getio/system/device"
	"getio/workload"
	"getio/workload/trace"
)

// Schema is the schema of a line of a plan.
const Schema = "getio.cell/2"

// The experiments.
const (
	Sweep        = "sweep"
	Compare      = "compare"
	Reproduce    = "reproduce"
	CompareState = "compare-state"
)

// Cell is a line of a plan: everything that determines the figures of a run.
type Cell struct {
	Schema     string `json:"schema"`
	Experiment string `json:"experiment"` // "sweep", "compare", "reproduce" or "compare-state"
	Number     int    `json:"cell"`       // from 0 on
	Cells      int    `json:"cells"`      // of the plan
	Getio      string `json:"getio"`      // version and commit, or "executable" and the program's SHA-256 where the build has no version or is not of a commit
	// State is set of compare-state, whose stores are loaded by each cell. Other experiments have sides, cache,
	// workload and device.
	State      *State `json:"state,omitempty"`
	Sides      []Side `json:"sides,omitempty"`       // one, except in a comparison
	CacheBytes int64  `json:"cache_bytes,omitempty"` // block cache
	// Round is from 1 on; only of a comparison.
	Round    int               `json:"round,omitempty"`
	Rounds   int               `json:"rounds,omitempty"` // of the comparison
	Workload workload.Workload `json:"workload,omitzero"`
	Counted  measure.Counted   `json:"counted,omitzero"`
	Device   Device            `json:"device,omitzero"`
	// Predicted does not count toward the plan's identity.
	Predicted *record.CellNeeds `json:"predicted,omitempty"`
}

// Side is a database and how it is read.
type Side struct {
	Label            string   `json:"label,omitempty"` // in a comparison
	Dataset          Dataset  `json:"dataset,omitzero"`
	Engine           string   `json:"engine"`                       // library
	EngineVersion    string   `json:"engine_version"`               // of the library
	Preset           string   `json:"preset,omitempty"`             // as in --preset
	Options          []string `json:"options,omitempty"`            // as in --option
	LastLevelFilters bool     `json:"last_level_filters,omitempty"` // as in --last-level-filters
	Shards           int      `json:"shards,omitempty"`             // of the block cache; absent: the library's choice
}

// Device is what lies below the block cache.
type Device struct {
	PageCache   device.PageCache `json:"page_cache,omitempty"`      // as in --page-cache
	IOPS        int64            `json:"iops,omitempty"`            // as in --iops
	ReadLatency time.Duration    `json:"read_latency_ns,omitempty"` // as in --read-latency
}

// Layer returns a new layer; nil if nothing lies below the block cache but the page cache as it is.
func (d Device) Layer() *device.Layer {
	model := device.Model{IOPS: d.IOPS, Latency: d.ReadLatency}
	if (d.PageCache == "" || d.PageCache == device.Keep) && model == (device.Model{}) {
		return nil
	}
	return device.New(d.PageCache, model)
}

// Choice returns how the side's database is to be opened.
func (s *Side) Choice() database.OpenOptions {
	return database.OpenOptions{Engine: s.Engine, Preset: s.Preset, Options: s.Options}
}

// Open returns how the side's cache is to be opened. Sides may share a layer only if they take turns.
func (c *Cell) Open(side int, layer *device.Layer) engine.OpenConfig {
	s := &c.Sides[side]
	return engine.OpenConfig{CacheBytes: c.CacheBytes, Shards: s.Shards, LastLevelFilters: s.LastLevelFilters, Device: layer}
}

// check refuses a cell that no plan can have. Number and Cells are checked with the plan.
func (c *Cell) check() error {
	switch {
	case c.Schema != Schema:
		return fmt.Errorf("has the schema %.40q, not %q", c.Schema, Schema)
	case c.Experiment == CompareState && c.State != nil && len(c.Sides) == 0:
		return c.State.check()
	case c.Experiment == CompareState || c.State != nil:
		return fmt.Errorf("is of %.40q and has what another experiment measures", c.Experiment)
	case c.Experiment != Sweep && c.Experiment != Compare && c.Experiment != Reproduce:
		return fmt.Errorf("is of the unknown experiment %.40q", c.Experiment)
	case len(c.Sides) == 0 || c.Experiment != Compare && len(c.Sides) > 1:
		return fmt.Errorf("has %d databases", len(c.Sides))
	case c.Experiment == Compare && (c.Round < 1 || c.Round > c.Rounds):
		return fmt.Errorf("is of round %d of %d", c.Round, c.Rounds)
	}
	for _, s := range c.Sides {
		if s.Dataset.Name == "" || s.Engine == "" {
			return errors.New("does not name its database and engine")
		}
	}
	return nil
}

// Run is what the records of a cell say of it, but for what was read.
func (p *Plan) Run(number int) *record.PlannedCell {
	c := &p.Cells[number]
	return &record.PlannedCell{Plan: p.ID, Experiment: c.Experiment, Cell: number, Cells: len(p.Cells), Getio: c.Getio}
}

// Options returns how the cell's runs are made.
func (c *Cell) Options() measure.Options {
	return measure.Options{Workload: c.Workload, Counted: c.Counted}
}

// OpenFiles reads the files that the keys come from, and refuses those that have changed since the plan
// was made. The trace is nil if the keys are not a trace's.
func (c *Cell) OpenFiles(ctx context.Context) (t *trace.File, err error) {
	k := c.Workload.Keys
	if k.Identified() != k {
		return nil, otherFile(k.KeysFile)
	}
	if k.Trace == "" {
		return nil, nil
	}
	if t, err = trace.Check(ctx, k.Trace, nil); err != nil {
		return nil, err
	}
	if t.SHA256 != k.TraceSHA256 {
		return nil, otherFile(k.Trace)
	}
	return t, nil
}

func otherFile(path string) error {
	return fmt.Errorf("%s is missing here, or not the file that the plan was made with: copy that one to the same path", path)
}

// State is what a cell of compare-state measures: a state database, with one number of keys.
type State struct {
	// Label is NAME or NAME:CONFIGURATION.
	Label string `json:"label"`
	// Command is that of --adapter, as it was given; absent for stores that getio knows.
	Command []string        `json:"command,omitempty"`
	Options []string        `json:"options,omitempty"` // that the adapter is given
	Adapter statedb.Adapter `json:"adapter"`           // without options and statistics
	statedb.Question
	// DiskBytes is the size of the private disk (--size); absent: by the number of keys.
	DiskBytes int64 `json:"disk_bytes,omitempty"`
	// Timeout is how long the adapter may be silent (--timeout); absent: the default of each request.
	Timeout time.Duration `json:"timeout_ns,omitempty"`
}

// check refuses a state that no plan can have.
func (s *State) check() error {
	switch {
	case s.Label == "" || s.Adapter.Name == "":
		return errors.New("does not name its store and adapter")
	case s.Keys == 0 || s.Lookups == 0:
		return errors.New("does not say how many keys and lookups")
	case s.Counted != record.CountedOutside && s.Counted != record.CountedInside:
		return fmt.Errorf("counts reads %.40q", s.Counted)
	}
	return nil
}
