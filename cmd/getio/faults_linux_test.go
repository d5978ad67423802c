package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"getio/engine/rocksdb"
)

// TestFaults damages one place in a file that getio reads, and runs a command that reads it. 'make faults'
// makes thousands of faults. To reproduce one, give its seed and number:
//
//	go test ./cmd/getio -run TestFaults -args -fault-seed 1 -first-fault 17 -faults 1
var (
	faultCount = flag.Int("faults", 500, "faults that TestFaults makes")
	faultFirst = flag.Int("first-fault", 0, "number of the first")
	faultSeed  = flag.Uint64("fault-seed", 1, "seed of the faults")
)

// faultLimit is how long a command may take: a hundred times what it takes undamaged.
const faultLimit = time.Minute

// verdict is the outcome of a fault.
type verdict int

const (
	unharmed   verdict = iota // the same figures
	refused                   // one sentence, and no figure
	flagged                   // a self-check failed, and no figure
	warned                    // other figures, with a warning
	otherInput                // other figures, from a file without a checksum
	different                 // other figures, without a warning
	untidy                    // refused, but with several sentences or with a result
	crashed
	hung
	changed // a file was changed
	verdicts
)

func (v verdict) String() string {
	return [verdicts]string{"unharmed", "refused", "flagged", "warned", "other input", "SILENT", "UNTIDY", "CRASHED", "HUNG", "CHANGED"}[v]
}

// bad reports whether the outcome is a failure of getio.
func (v verdict) bad() bool { return v >= different }

// faulted is an undamaged input of getio, and the commands that read it.
type faulted struct {
	name     string
	dir      string
	parts    []part
	commands [][]string // the arguments; DIR stands for the directory
	whole    []string   // the figures of each command
	others   []sync.Map // of each command, the figures that undisturbed runs gave, too
}

// fault is one damage and one command.
type fault struct {
	number  int
	input   *faulted
	part    part
	damage  damage
	command int
}

func (f *fault) String() string {
	return fmt.Sprintf("fault %d of seed %d: %s, %s in %s (%s), then getio %s",
		f.number, *faultSeed, f.input.name, f.damage, f.part.file, f.part.name, strings.Join(f.input.commands[f.command], " "))
}

// TestFaults requires that no fault changes a figure without a warning, crashes or hangs a command, or makes
// it write.
func TestFaults(t *testing.T) {
	t.Parallel()
	inputs := faultedInputs(t)
	var tally outcomes[verdict]
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		dir := t.TempDir()
		workers.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= *faultCount || t.Context().Err() != nil {
					return
				}
				f := drawFault(inputs, *faultFirst+n)
				v, detail, err := f.inject(filepath.Join(dir, fmt.Sprint(n)))
				if !assert.NoError(t, err, "%s", f) {
					return
				}
				tally.add(f.input.name+"\t"+f.part.name, v)
				assert.False(t, v.bad(), "%s: %s\n%s", v, f, detail)
			}
		})
	}
	workers.Wait()
	t.Logf("%d faults of seed %d:\n%s", *faultCount, *faultSeed, tally.table("input\tpart", verdicts))
	assert.Equal(t, *faultCount, tally.sum(), "faults")
}

// drawFault draws a fault by its number. Every part of every input is equally likely.
func drawFault(inputs []*faulted, number int) *fault {
	rng := rand.New(rand.NewPCG(*faultSeed, uint64(number)))
	in := inputs[rng.IntN(len(inputs))]
	names := partNames(in.parts)
	name := names[rng.IntN(len(names))]
	of := slices.DeleteFunc(slices.Clone(in.parts), func(p part) bool { return p.name != name })
	f := &fault{number: number, input: in, part: of[rng.IntN(len(of))], command: rng.IntN(len(in.commands))}
	f.damage = drawDamage(rng, f.part)
	return f
}

// inject damages a copy of the input in dir, which it removes, and runs the command.
func (f *fault) inject(dir string) (v verdict, detail string, err error) {
	defer os.RemoveAll(dir)
	if err := f.prepare(dir); err != nil {
		return v, "", err
	}
	before, err := fingerprint(dir, false)
	if err != nil {
		return v, "", err
	}
	// RocksDB reads a few blocks more or fewer now and then, as repeated says. A difference that the damage
	// makes is there every time, and undisturbed runs do not have it.
	var figures string
	for range f.input.patience() {
		out, errOut, failed := runOn(dir, f.input.commands[f.command])
		v, detail, figures = f.judge(dir, out, errOut, failed), out+errOut, figuresOf(out, dir)
		if v != different {
			break
		}
	}
	if v == different {
		if too, err := f.input.givesToo(f.command, figures); err != nil {
			return v, "", err
		} else if too {
			v = unharmed
		}
	}
	after, err := fingerprint(dir, false)
	if err != nil {
		return v, "", err
	}
	if d := firstDifference(before, after); d != "" {
		return changed, d, nil
	}
	return v, detail, nil
}

// patience is how often a command is run at most until its figures repeat.
func (in *faulted) patience() int {
	if strings.HasSuffix(in.name, rocksdb.Engine.Name()) {
		return 4
	}
	return 1
}

// prepare makes the damaged copy.
func (f *fault) prepare(dir string) error {
	if err := copyLinked(f.input.dir, dir); err != nil {
		return err
	}
	path := filepath.Join(dir, f.part.file)
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil { // the link
		return err
	}
	return os.WriteFile(path, f.damage.apply(whole), 0o644)
}

// judge compares what the command printed with what it prints undamaged.
func (f *fault) judge(dir, out, errOut string, err error) verdict {
	var exit *exec.ExitError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return hung
	case err == nil:
		switch {
		case figuresOf(out, dir) == f.input.whole[f.command]:
			return unharmed
		case f.part.unchecked:
			return otherInput
		case warns(out, errOut):
			return warned
		}
		return different
	case !errors.As(err, &exit), exit.ExitCode() < 0, goTrace(errOut):
		return crashed
	case exit.ExitCode() == exitChecksFailed:
		return flagged
	case out != "", checkSentence("", warning.ReplaceAllString(errOut, "")) != nil:
		return untidy
	}
	return refused
}

// warning matches a warning of a tree (engine.Info.Warning), which may precede a refusal.
var warning = regexp.MustCompile(`(?m)^getio: the tree of .* (may be outdated: |is not the one that getio wrote: ).*\n`)

// warns reports whether the output has the warning, as text or in a record.
func warns(out, errOut string) bool {
	if warning.MatchString(errOut) {
		return true
	}
	for _, sign := range []string{"may be outdated: ", "is not the one that getio wrote: ", `"newer_tables"`, `"manifest_torn"`, `"other_levels"`} {
		if strings.Contains(out, sign) {
			return true
		}
	}
	return false
}

// runOn runs a command on a directory.
func runOn(dir string, args []string) (out, errOut string, err error) {
	return runWith(dir, args, (*exec.Cmd).Run)
}

// runWith runs a command on a directory in some way.
func runWith(dir string, args []string, run func(*exec.Cmd) error) (out, errOut string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), faultLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "getio", argsOn(dir, args)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = run(cmd)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return stdout.String(), stderr.String(), err
}

// argsOn puts a directory in place of DIR.
func argsOn(dir string, args []string) []string {
	given := slices.Clone(args)
	for i := range given {
		given[i] = strings.ReplaceAll(given[i], "DIR", dir)
	}
	return given
}

// goTrace reports whether a text has a stack trace of Go's.
func goTrace(text string) bool { return strings.Contains(text, "goroutine ") }

// copyLinked makes links to all files of a directory.
func copyLinked(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		return os.Link(path, filepath.Join(to, name))
	})
}
