package adaptertest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"getio/outside/adapter"
)

// Environment variables that make a test binary, whose TestMain calls Run, an adapter: the
// model with a fault, or an engine by name.
const (
	FaultVariable  = "GETIO_TEST_FAULT"
	EngineVariable = "GETIO_TEST_ENGINE"
)

// Run runs the tests or serves an adapter, and exits. byName may be nil if no test sets
// EngineVariable.
func Run(m *testing.M, byName func(name string) (adapter.Engine, error)) {
	if fault, ok := os.LookupEnv(FaultVariable); ok {
		os.Exit(Main(Fault(fault)))
	}
	name, ok := os.LookupEnv(EngineVariable)
	if !ok {
		os.Exit(m.Run())
	}
	e, err := byName(name)
	if err == nil {
		err = adapter.Serve(os.Stdin, os.Stdout, e)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Check ends the test after an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// RequireError requires an error that says something, or ends with what stands before a "$".
func RequireError(t testing.TB, err error, says string) {
	t.Helper()
	end, atEnd := strings.CutSuffix(says, "$")
	if err == nil || !strings.Contains(err.Error(), end) || atEnd && !strings.HasSuffix(err.Error(), end) {
		t.Errorf("error %v, want %q", err, says)
	}
}
