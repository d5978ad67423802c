package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/powercut"
)

// powerCuts is how many states TestPowerCuts rebuilds. 'make faults' rebuilds thousands.
var powerCuts = flag.Int("power-cuts", 6, "states of each kind of load that TestPowerCuts rebuilds")

// TestPowerCuts resumes loads in states that a power cut may leave. None may be short and called complete. A
// recorded load differs from run to run, so a state that fails is kept.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	cases := loadCases(t)
	ofKind := map[string]int{}
	for _, c := range cases {
		ofKind[c.kind]++
	}
	var tally outcomes[recovery]
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			p := &powerCut{loadCase: c, log: recordLoad(t, c)}
			p.cut(t, (*powerCuts+ofKind[c.kind]-1)/ofKind[c.kind], &tally)
		})
	}
	t.Logf("states of seed %d after a power cut:\n%s", *faultSeed, tally.table("load", recoveries))
}

// powerCut rebuilds states of a load that was recorded.
type powerCut struct {
	*loadCase
	log  *powercut.Log
	next atomic.Uint64
	seen sync.Map // sums of states
}

// TestChainIsPublishedWhole: in no state after a power cut does the mark of a complete chain lie beside less than the
// chain. TestPowerCuts tells what becomes of each state, and so sees few of them.
func TestChainIsPublishedWhole(t *testing.T) {
	t.Parallel()
	const states, enough = 500, 8
	c := chainCase(t, "pebblev1")
	for name, script := range map[string]string{
		"new directory":   `exec getio "$@"`,
		"empty directory": `mkdir "$3" && exec getio "$@"`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := argsOn(filepath.Join(dir, "load"), c.begin)
			log := recordCommand(t, exec.Command("sh", append([]string{"-c", script, "sh"}, args...)...), dir)
			complete := 0
			for number := range uint64(states) {
				s := log.Draw(rand.New(rand.NewPCG(*faultSeed, number)))
				state := filepath.Join(t.TempDir(), "state")
				require.NoError(t, s.Write(state))
				if load := filepath.Join(state, "load"); c.complete(load) {
					complete++
					assert.NoError(t, c.whole(load), s.Why)
				}
				require.NoError(t, os.RemoveAll(state))
			}
			assert.Greater(t, complete, enough)
		})
	}
}

// recordLoad records what a load writes into the directory "load" of another one.
func recordLoad(t *testing.T, c *loadCase) *powercut.Log {
	t.Helper()
	dir := t.TempDir()
	log := recordCommand(t, exec.Command("getio", argsOn(filepath.Join(dir, "load"), c.begin)...), dir)
	require.NoError(t, c.whole(filepath.Join(dir, "load")))
	t.Logf("%s: %d operations", c.name, log.Len())
	return log
}

func recordCommand(t *testing.T, cmd *exec.Cmd, dir string) *powercut.Log {
	t.Helper()
	executor, err := exec.LookPath(executorName)
	require.NoError(t, err)
	log, err := powercut.Record(executor, cmd, dir)
	require.NoError(t, err)
	return log
}

// cut rebuilds n different states, and resumes the load in each.
func (p *powerCut) cut(t *testing.T, n int, tally *outcomes[recovery]) {
	var done atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		in := t.TempDir()
		workers.Go(func() {
			for done.Add(1) <= int64(n) && t.Context().Err() == nil {
				number, s := p.draw()
				dir := filepath.Join(in, fmt.Sprint(number))
				if !assert.NoError(t, s.Write(dir)) {
					return
				}
				r, detail := p.recover(filepath.Join(dir, "load"))
				tally.add(p.name, r)
				if r.bad() {
					t.Errorf("%s: %s, %s; the state is kept in %s\n%s", r, p.name, s.Why, keepState(t, s), detail)
				}
				assert.NoError(t, os.RemoveAll(dir))
			}
		})
	}
	workers.Wait()
}

// keepState writes a state to a directory that stays after the test.
func keepState(t *testing.T, s *powercut.State) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "getio-state-")
	require.NoError(t, err)
	require.NoError(t, s.Write(dir))
	return dir
}

// draw draws a state that was not drawn before, if it soon finds one.
func (p *powerCut) draw() (number uint64, s *powercut.State) {
	for range 100 {
		number = p.next.Add(1)
		s = p.log.Draw(rand.New(rand.NewPCG(*faultSeed, number)))
		if _, again := p.seen.LoadOrStore(s.Sum(), true); !again {
			break
		}
	}
	return number, s
}
