package chainload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"getio/cost"
	"getio/directory"
	"getio/engine"
	"getio/engine/loading"
	"getio/record"
)

// Job makes the chain of a plan.
type Job struct {
	Plan   Plan
	Engine engine.Engine // that reads the store, and lets it settle
	Dir    string        // absent or empty
	// Progress, if it is set, is told how far a phase is.
	Progress func(phase string, done, total uint64, unit string)
}

// Names of a chain's files.
const (
	MadeName  = "chain.json"
	storeName = "chaindata"
)

// StoreDir is where the key-value store of a chain made in dir lies.
func StoreDir(dir string) string { return filepath.Join(dir, storeName) }

// building marks the directory beside the job's in which the chain is made, until it
// is whole and takes its name.
const building = ".getio-building-"

// Run makes the chain. What there is of it is removed again if it cannot be finished.
func (j *Job) Run(ctx context.Context) (made *record.ChainMade, err error) {
	if err := j.Plan.Check(); err != nil {
		return nil, err
	}
	if _, known := stores[j.Engine.Name()]; !known {
		return nil, fmt.Errorf("go-ethereum keeps no chains in %s: take one of %s", j.Engine.Name(), strings.Join(slices.Sorted(maps.Keys(stores)), ", "))
	}
	if err := requireEmpty(j.Dir); err != nil {
		return nil, err
	}
	parents, err := directory.Make(filepath.Dir(filepath.Clean(j.Dir)))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be made (%w): name a directory that can be written", j.Dir, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(filepath.Clean(j.Dir)), filepath.Base(j.Dir)+building)
	if err != nil {
		return nil, fmt.Errorf("nothing can be made beside %s (%w): name a directory in one that can be written", j.Dir, err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
			parents.TakeBack()
		}
	}()
	if made, err = j.make(ctx, dir); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	return made, os.Rename(dir, j.Dir)
}

func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s is no directory that a chain can be made in (%w): name one that is not there yet", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty (it holds %s): name a directory that is not there yet", dir, entries[0].Name())
	}
	return nil
}

// make makes the chain in dir.
func (j *Job) make(ctx context.Context, dir string) (*record.ChainMade, error) {
	made := &record.ChainMade{Schema: record.ChainMadeSchema, Plan: j.Plan.ChainPlan, Engine: j.Engine.Name(), Created: time.Now().UTC().Truncate(time.Second)}
	if err := j.write(ctx, StoreDir(dir), made); err != nil {
		return nil, err
	}
	if err := j.settle(ctx, StoreDir(dir)); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return nil, err
	}
	return made, os.WriteFile(filepath.Join(dir, MadeName), append(text, '\n'), 0o644)
}

// write writes the store and the freezer.
func (j *Job) write(ctx context.Context, dir string, made *record.ChainMade) (err error) {
	db, err := openStore(j.Engine.Name(), dir)
	if err != nil {
		return err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = e
		}
	}()
	pop := newPopulation(&j.Plan)
	spent := cost.Start()
	state := &stateWriter{population: pop, db: db}
	root, err := state.write(ctx, func(n uint64) { j.report("state", n, pop.size(), "accounts") })
	if err != nil {
		return err
	}
	made.State = costOf(pop.size(), spent())
	spent = cost.Start()
	blocks := &blockWriter{population: pop, db: db, to: newBatch(db), root: root}
	if j.Plan.Aged > 0 {
		if blocks.ager, err = newAger(pop, db, root); err != nil {
			return err
		}
	}
	err = blocks.write(ctx, func(n uint64) { j.report("blocks", n, j.Plan.Blocks, "blocks") })
	if blocks.ager != nil {
		if e := blocks.ager.finish(blocks.root); err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	made.Chain = costOf(j.Plan.Blocks, spent())
	made.Root, made.Head = blocks.root.Hex(), blocks.parent.Hex()
	return j.verify(ctx, &verifier{population: pop, db: db, root: blocks.root})
}

func (j *Job) report(phase string, done, total uint64, unit string) {
	if j.Progress != nil {
		j.Progress(phase, done, total, unit)
	}
}

// settle lets the store flush and compact what is due, by getio's own loader.
func (j *Job) settle(ctx context.Context, dir string) error {
	cfg, err := j.Engine.Configure(Preset(j.Engine.Name()), nil)
	if err != nil {
		return err
	}
	loader, err := j.Engine.Resume(dir, cfg)
	if err != nil {
		return err
	}
	return loading.Guard(loader, func() error {
		err := loader.Settle(ctx, func(s engine.Settling) { j.report("settle", uint64(s.CompactionsDone), 0, "compactions") })
		if e := loader.Close(); err == nil {
			err = e
		}
		return err
	})
}

// Preset is geth's own configuration of an engine, by the names of both.
func Preset(engine string) string { return presets[engine] }

var presets = map[string]string{"pebblev1": "geth-v1", "pebblev2": "geth", "goleveldb": "geth-leveldb"}

// ReadMade reads what a directory says of the chain in it. It is nil where getio made
// none.
func ReadMade(dir string) (*record.ChainMade, error) {
	text, err := os.ReadFile(filepath.Join(dir, MadeName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.Join(dir, MadeName), err)
	}
	made := &record.ChainMade{}
	if err := json.Unmarshal(text, made); err != nil || made.Schema != record.ChainMadeSchema {
		return nil, fmt.Errorf("%s is not of a chain that this getio made: name its directory %s", filepath.Join(dir, MadeName), storeName)
	}
	return made, nil
}

func costOf(things uint64, c cost.Cost) record.CostOf {
	return record.CostOf{Things: things, Seconds: c.Wall.Seconds(), CPUSeconds: c.CPU.Seconds()}
}
