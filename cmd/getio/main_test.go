package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"getio/internal/otheruser"
	"getio/statedb/counter"
)

// TestMain makes the test binary also the programs that the scripts run.
func TestMain(m *testing.M) {
	otheruser.Acts(map[string]otheruser.Act{"outputs": replaceOutputs})
	testscript.Main(cleaning{m}, programs)
}

var programs = map[string]func(){
	"getio":         scriptedGetio,
	benchName:       main,
	"hold-db":       holdDatabase,
	"model-adapter": modelAdapter,
	abandonName:     abandon,
	hastyName:       hastyGetio,
}

// stateEnv names a script's own directory for what is noted of private disks.
const stateEnv = "GETIO_TEST_STATE"

func scriptedGetio() {
	counterState = os.Getenv(stateEnv)
	stopWithin = interruptLimit / 2
	if peak := os.Getenv(peakEnv); peak != "" {
		code := run(os.Args, os.Stdin, os.Stdout, os.Stderr)
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			err = os.WriteFile(peak, status, 0o600)
		}
		if err != nil {
			panic(err)
		}
		os.Exit(code)
	}
	main()
}

// takeBack removes the private disk that a script which failed has left.
func takeBack(state string) {
	if left, err := os.ReadDir(state); err != nil || len(left) == 0 {
		return
	}
	if c, err := counter.New(counter.Place{State: state, ImageIn: os.TempDir()}); err == nil {
		c.Close()
	}
}

// cleaning removes what the tests of one run share.
type cleaning struct{ m *testing.M }

func (c cleaning) Run() int {
	defer removeShared()
	return c.m.Run()
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                scriptCommands,
		Condition:           scriptCondition,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// It is there from the beginning: what is refused makes nothing.
			state := filepath.Join(env.WorkDir, ".state")
			env.Setenv(stateEnv, state)
			env.Defer(func() { takeBack(state) })
			return os.Mkdir(state, 0o711)
		},
	})
}
