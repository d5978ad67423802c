package chainload

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"getio/engine"
	"getio/engine/loading"
	"getio/record"
	"getio/system/cputime"
	"getio/system/filesystem"
	"getio/system/machine"
)

// Job makes a chain by a plan.
type Job struct {
	Plan   Plan
	Engine engine.Engine // reads the store and lets it settle
	Dir    string        // absent or empty
	// Progress, if set, is called with the progress of each phase.
	Progress func(phase string, done, total uint64, unit string)
	// Child, if set, returns a command that calls Serve. The chain is then made in that
	// process, which must be killed when the context is cancelled.
	Child func(context.Context) *exec.Cmd
}

// Names in a chain's directory.
const (
	MadeName  = "chain.json"
	storeName = "chaindata"
)

// StoreDir is the directory of the key-value store of a chain in dir.
func StoreDir(dir string) string { return filepath.Join(dir, storeName) }

// Run makes the chain. If it fails, nothing is left of it.
func (j *Job) Run(ctx context.Context) (made *record.ChainMade, err error) {
	if err := j.Plan.Check(); err != nil {
		return nil, err
	}
	if err := j.Plan.fits(machine.AvailableMemory()); err != nil {
		return nil, err
	}
	if _, known := stores[j.Engine.Name()]; !known {
		return nil, fmt.Errorf("go-ethereum cannot store a chain in %s: use one of %s", j.Engine.Name(), strings.Join(slices.Sorted(maps.Keys(stores)), ", "))
	}
	s, err := newStaging(j.Dir)
	if err != nil {
		return nil, err
	}
	if j.Child != nil {
		made, err = j.makeInChild(ctx, s)
	} else {
		made, err = j.make(ctx, s.path())
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("no space left for the chain in %s (%w); nothing was kept: free some space or choose another directory", j.Dir, err)
	}
	if err == nil {
		err = s.publish()
	}
	if err != nil {
		s.discard()
		return nil, err
	}
	return made, nil
}

// make makes the chain in dir, in this process.
func (j *Job) make(ctx context.Context, dir string) (*record.ChainMade, error) {
	began := time.Now()
	made := &record.ChainMade{Schema: record.ChainMadeSchema, Plan: j.Plan.ChainPlan, Engine: j.Engine.Name(), Created: began.UTC().Truncate(time.Second)}
	written, err := j.write(ctx, StoreDir(dir), made)
	if err != nil {
		return nil, err
	}
	settling := func(s engine.SettleProgress) { j.report("settle", uint64(s.CompactionsDone), 0, "compactions") }
	if err := Settle(ctx, j.Engine, StoreDir(dir), settling); err != nil {
		return nil, err
	}
	if err := j.requireInventory(ctx, StoreDir(dir), written); err != nil {
		return nil, err
	}
	bytes, err := filesystem.Sum(StoreDir(dir), func(fi fs.FileInfo) int64 {
		if fi.IsDir() {
			return 0
		}
		return fi.Size()
	})
	if err != nil {
		return nil, err
	}
	made.Bytes, made.Seconds = bytes, time.Since(began).Seconds()
	text, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return nil, err
	}
	return made, os.WriteFile(filepath.Join(dir, MadeName), append(text, '\n'), 0o644)
}

// write writes the store and the freezer, and verifies them.
func (j *Job) write(ctx context.Context, dir string, made *record.ChainMade) (_ *inventory, err error) {
	db, err := openStore(j.Engine.Name(), dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	pop := newPopulation(&j.Plan)
	spent := cputime.StartTimer()
	state := &stateWriter{population: pop, db: db}
	root, err := state.write(ctx, func(phase string, n uint64) { j.report(phase, n, pop.size(), "accounts") })
	if err != nil {
		return nil, err
	}
	made.State = costOf(pop.size(), spent())
	spent = cputime.StartTimer()
	blocks := &blockWriter{population: pop, db: db, to: newBatch(db), root: root}
	if j.Plan.Aged > 0 {
		if blocks.ager, err = newAger(pop, db, root); err != nil {
			return nil, err
		}
	}
	err = blocks.write(ctx, func(n uint64) { j.report("blocks", n, j.Plan.Blocks, "blocks") })
	if err := blocks.ager.end(blocks.root, err); err != nil {
		return nil, err
	}
	made.Chain = costOf(j.Plan.Blocks, spent())
	made.Root, made.Head = blocks.root.Hex(), blocks.parent.Hex()
	if err := j.verify(ctx, &verifier{population: pop, db: db, root: blocks.root, head: blocks.parent, ager: blocks.ager}); err != nil {
		return nil, err
	}
	return j.takeInventory(ctx, db, dir)
}

func (j *Job) report(phase string, done, total uint64, unit string) {
	if j.Progress != nil {
		j.Progress(phase, done, total, unit)
	}
}

// Settle flushes a store that geth's options made and waits for its compactions, through getio's own
// loader.
func Settle(ctx context.Context, e engine.Engine, dir string, progress func(engine.SettleProgress)) error {
	return Write(e, dir, nil, func(l engine.Loader) error { return l.Settle(ctx, progress) })
}

// Write opens a store for writing with geth's options, changed by further ones, until work returns or the
// library fails.
func Write(e engine.Engine, dir string, options []string, work func(engine.Loader) error) error {
	cfg, err := e.Configure(Preset(e.Name()), options)
	if err != nil {
		return err
	}
	loader, err := e.Resume(dir, cfg)
	if err != nil {
		return err
	}
	return loading.Guard(loader, func() error { return cmp.Or(work(loader), loader.Close()) })
}

// Preset is the name of geth's own configuration of an engine.
func Preset(engine string) string { return stores[engine].preset }

// OpenReadOnly opens a store that geth's options made, through getio's engine.
func OpenReadOnly(ctx context.Context, e engine.Engine, dir string) (engine.Store, error) {
	cfg, err := e.Configure(Preset(e.Name()), nil)
	if err != nil {
		return nil, err
	}
	return e.OpenStore(ctx, dir, cfg)
}

// ReadMade reads the description of the chain in dir. It is nil if getio made no chain there.
func ReadMade(dir string) (*record.ChainMade, error) {
	text, err := filesystem.ReadRegular(filepath.Join(dir, MadeName), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.Join(dir, MadeName), err)
	}
	made := &record.ChainMade{}
	if err := json.Unmarshal(text, made); err != nil || made.Schema != record.ChainMadeSchema {
		return nil, fmt.Errorf("%s does not describe a chain that this version of getio made: name the directory %s beside it instead", filepath.Join(dir, MadeName), storeName)
	}
	return made, nil
}

// MadeBeside reads the description of the chain whose key-value store is in dir. It is nil if
// there is none that can be read: a file of that name may be anybody's.
func MadeBeside(dir string) *record.ChainMade {
	abs, err := filepath.Abs(dir)
	if err != nil || filepath.Base(abs) != storeName {
		return nil
	}
	made, _ := ReadMade(filepath.Dir(abs))
	return made
}

func costOf(things uint64, c cputime.Elapsed) record.Cost {
	return record.Cost{Things: things, Seconds: c.Wall.Seconds(), CPUSeconds: c.CPU.Seconds()}
}
