package database

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"getio/engine"
	"getio/system/subprocess"
)

// trialVariable, in the environment of a process, holds the trial that it is for.
const trialVariable = "GETIO_TRIAL"

// trial is what such a process opens.
type trial struct {
	Engine, Dir, Preset string
	Options             []string
}

var (
	trialsServed bool     // by this program
	tried        sync.Map // trials that ended well, as JSON
)

// ServeTrials makes Open try databases in a process of its own first, which runs this program again: a library that is
// not written in Go may end the process instead of returning an error. In such a process, ServeTrials does not return.
// It is to be called at the start of main: a library may call Go from a thread of its own, which waits until all init
// functions have returned.
func ServeTrials(engines engine.Registry) {
	text, ok := os.LookupEnv(trialVariable)
	if !ok {
		trialsServed = true
		return
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // the parent ends this process
	var t trial
	if json.Unmarshal([]byte(text), &t) == nil {
		t.run(engines)
	}
	os.Exit(0)
}

// run opens the database and makes a Get. Errors are for the parent to find: it opens the database too.
func (t *trial) run(engines engine.Registry) error {
	e, err := engines.ByName(t.Engine)
	if err != nil {
		return err
	}
	cfg, err := e.Configure(t.Preset, t.Options)
	if err != nil {
		return err
	}
	s, err := e.OpenStore(context.Background(), t.Dir, cfg)
	if err != nil {
		return err
	}
	db, err := s.Open(engine.OpenConfig{CacheBytes: max(1<<20, s.Info().MinCacheBytes), MaxOpenFiles: engine.AuxiliaryOpenFiles})
	if err != nil {
		return err
	}
	sampler, err := s.Sampler()
	if err != nil {
		return err
	}
	keys, err := sampler.Draw(context.Background(), []func() uint64{rand.Uint64})
	if err != nil {
		return err
	}
	_, _, err = db.Get(keys[0], nil)
	return err
}

// openStore opens files. Those that getio did not write are tried first, once, if the library may end the process.
func (d *Database) openStore(ctx context.Context, files string) (engine.Store, error) {
	if library, foreign := d.Engine.(engine.Linked); foreign && trialsServed && d.Manifest == nil {
		if err := d.try(ctx, library, files); err != nil {
			return nil, err
		}
	}
	return d.Engine.OpenStore(ctx, files, d.Config)
}

// try returns an error if the library ends a process that opens files.
func (d *Database) try(ctx context.Context, library engine.Linked, files string) error {
	t := trial{Engine: d.Engine.Name(), Dir: files, Preset: d.Config.Preset()}
	for name, value := range d.Config.Effective() {
		t.Options = append(t.Options, name+"="+value)
	}
	slices.Sort(t.Options) // the same trial has the same text
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if _, done := tried.Load(string(text)); done {
		return nil
	}
	var complaint bytes.Buffer
	self, err := subprocess.Self()
	if err != nil {
		return fmt.Errorf("cannot find the program of getio, which tries %s first: %w", files, err)
	}
	child := exec.CommandContext(ctx, self)
	child.Args[0] = os.Args[0]
	child.Env = append(os.Environ(), trialVariable+"="+string(text))
	child.Stderr = &complaint
	// On Linux, the kernel kills the child when the thread that started it ends: this one, until it is done.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	subprocess.EndWithParent(child)
	err = child.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		tried.Store(string(text), true)
		return nil
	case !ended:
		return fmt.Errorf("cannot start the process that tries %s first (%w): run the command again", files, err)
	case exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		return fmt.Errorf("the process that tried %s first was killed: the machine may lack memory, so end other programs and run the command again", files)
	}
	// A library says why before Go's runtime prints its stacks.
	said, _, _ := strings.Cut(complaint.String(), "\n")
	said = cmp.Or(strings.TrimPrefix(said, filepath.Base(os.Args[0])+": "), exit.Error())
	otherwise := ", or read it with a library without assertions, which 'make rocksdb-static' builds"
	if library.Linked() == "static" {
		otherwise = ""
	}
	return fmt.Errorf("%s %s ends the process that opens %s (%s): let its client start and stop once%s",
		d.Engine.Name(), d.Engine.Version(), files, said, otherwise)
}
