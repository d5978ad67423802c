package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary also the programs that the scripts run.
func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){
		"getio":         func() { os.Exit(Main()) },
		benchName:       func() { os.Exit(Main()) },
		"hold-db":       holdDatabase,
		"model-adapter": modelAdapter,
	})
}

// cleaning removes what the tests of one run share.
type cleaning struct{ m *testing.M }

func (c cleaning) Run() int {
	defer removeShared()
	return c.m.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                scriptCommands,
		Condition:           scriptCondition,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
