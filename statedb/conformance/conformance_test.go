package conformance

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/record"
	"getio/statedb/adapter"
)

func TestMain(m *testing.M) { adaptertest.Run(m, nil) }

func plan(t *testing.T, fault adaptertest.Fault) Plan {
	t.Helper()
	t.Setenv(adaptertest.FaultVariable, string(fault))
	self, err := os.Executable()
	require.NoError(t, err)
	timeout := time.Minute
	if fault == adaptertest.Hangs {
		timeout = 15 * time.Second // enough for the greeting, however busy the machine is
	}
	return Plan{Command: []string{self}, Dir: t.TempDir(), Keys: 700, Kills: 3, Seed: 1, Timeout: timeout}
}

// TestModelConforms covers both configurations of the model; one has proofs.
func TestModelConforms(t *testing.T) {
	passed := map[string]int{}
	hello, err := plan(t, adaptertest.None).Run(t.Context(), func(s record.AdapterStep) { passed[s.Name]++ })
	require.NoError(t, err)
	assert.Equal(t, "model", hello.Engine, "hello %+v", hello)
	for name, want := range map[string]int{"hello": 1, "create": 2, "prove": 1, "end": 2, "killed when quiet, opened to write": 2, "killed in mid-commit, committed again": 2} {
		assert.Equal(t, want, passed[name], "%q", name)
	}
}

// TestFaultsAreFound checks the step at which each fault is found.
func TestFaultsAreFound(t *testing.T) {
	for fault, c := range map[adaptertest.Fault]struct{ step, says string }{
		adaptertest.Dies:            {"look up in an empty store", "the model has seen enough"},
		adaptertest.Hangs:           {"look up in an empty store", "did not answer get within 15s and was killed"},
		adaptertest.Text:            {"hello", "text belongs on standard error"},
		adaptertest.OtherVersion:    {"hello", "speaks version 9 of the protocol"},
		adaptertest.Noise:           {"look up in an empty store", "an invalid frame"},
		adaptertest.EndsBadly:       {"end", "exit status 4"},
		adaptertest.FindsAbsent:     {"look up in an empty store", "was never loaded but was found"},
		adaptertest.WrongValue:      {"look up", "wrong value: key "},
		adaptertest.ForgetsUpdates:  {"one key twice in a commit", "wrong value: key "},
		adaptertest.ConstantRoot:    {"update", "after 170 records were loaded"},
		adaptertest.NoProofs:        {"prove", "returned no proof"},
		adaptertest.ProvesAnything:  {"prove", "it is proven under a root that the store never had"},
		adaptertest.ProvesNothing:   {"prove", "what is true is not proven"},
		adaptertest.IgnoresRoot:     {"prove", "it is proven under a root that the store never had"},
		adaptertest.IgnoresValue:    {"prove", "another value is proven"},
		adaptertest.TwoStatsOfAName: {"stats", `the name "keys" is empty or used twice`},
		adaptertest.DropsTooMuch:    {"drop caches", "was loaded but was not found"},
		adaptertest.LosesOnKill:     {"killed when quiet, opened to write", "the root is "},
		adaptertest.TearsCommits:    {"killed in mid-commit, committed again", "have their values before the commit and"},
		adaptertest.StuckAfterKill:  {"killed in mid-commit, committed again", "the store cannot commit any more: the adapter conformance.test refused to commit: the model's last commit was never finished"},
		adaptertest.FailsToClose:    {"close", "the model does not like to be closed"},
		adaptertest.CreatesOver:     {"create where a store is", "it was not refused"},
		adaptertest.AnyOption:       {"unknown option", "it was not refused"},
		adaptertest.OtherRoot:       {"open to read", "the root is 0707"},
	} {
		t.Run(string(fault), func(t *testing.T) {
			last := ""
			_, err := plan(t, fault).Run(t.Context(), func(s record.AdapterStep) { last = s.Name })
			failed, ok := errors.AsType[*Failure](err)
			if !ok || failed.Step != c.step || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("after %q: %v, want a failure at %q with %q", last, err, c.step, c.says)
			}
			assert.NotEqual(t, failed.Step, last)
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := plan(t, adaptertest.None).Run(ctx, func(record.AdapterStep) {
		if steps++; steps == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || steps > 6 {
		t.Errorf("after %d steps: %v", steps, err)
	}
}

// TestStateFollowsConfiguration covers all kinds of size limits.
func TestStateFollowsConfiguration(t *testing.T) {
	for _, c := range []adapter.Configuration{
		{MinKey: 32, MaxKey: 32, MaxValue: 1 << 20},
		{MinKey: 1, MaxKey: 1, MinValue: 3, MaxValue: 3},
		{MinKey: 52, MaxKey: 60, ValueSizes: []uint32{32, 72}, MinValue: 32, MaxValue: 72},
		{MinKey: 1, MaxKey: 8, MinValue: 40_000, MaxValue: 50_000},
	} {
		s := newState(c, 1)
		records := append(s.add(300), s.update(3)...)
		require.NotZero(t, len(s.valueSizes), "%+v: no sizes of values", c)
		for _, r := range records {
			if !c.TakesKey(len(r.Key)) || !c.TakesValue(len(r.Value)) {
				t.Fatalf("%+v: key of %d bytes, value of %d", c, len(r.Key), len(r.Value))
			}
		}
		for _, key := range s.ask() {
			require.True(t, c.TakesKey(len(key)), "%+v: asks for a key of %d bytes", c, len(key))
		}
		assert.Len(t, s.values, min(300, s.room()), c)
	}
}

// TestRustAdapters tests the adapters in statedb/adapters, where they are built.
func TestRustAdapters(t *testing.T) {
	for _, name := range []string{"getio-nomt", "getio-firewood", "getio-commonware"} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath("../../bin/" + name)
			if err != nil {
				t.Skipf("%s is not built: make adapters", name)
			}
			p := Plan{Command: []string{path}, Dir: t.TempDir(), Keys: 3000, Kills: 3, Seed: 2}
			steps := 0
			_, err = p.Run(t.Context(), func(s record.AdapterStep) { steps++; t.Log(s.Name, s.Detail) })
			require.NoError(t, err)
			assert.GreaterOrEqual(t, steps, 24)
		})
	}
}
