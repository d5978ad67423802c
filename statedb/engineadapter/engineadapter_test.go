package engineadapter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/engine/readpath"
	"getio/internal/adaptertest"
	"getio/internal/enginetest"
	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/conformance"
)

var requireError = adaptertest.RequireError

func TestMain(m *testing.M) {
	adaptertest.Run(m, func(name string) (adapter.Engine, error) {
		e, err := engines.All().ByName(name)
		return New(context.Background(), e), err
	})
}

// TestEnginesConform runs the conformance suite on every engine, with each of its presets.
func TestEnginesConform(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			p := conformance.Plan{Command: []string{"env", adaptertest.EngineVariable + "=" + e.Name(), self}, Dir: t.TempDir(), Keys: 1500, Seed: 3, CacheBytes: 1 << 20}
			var configurations []string
			_, err := p.Run(t.Context(), func(s record.AdapterStep) {
				if s.Name == "end" {
					configurations = append(configurations, s.Configuration)
				}
			})
			require.NoError(t, err)
			if got, want := strings.Join(configurations, " "), strings.Join(e.Presets(), " "); got != want {
				t.Errorf("%s went through, and the presets are %s", got, want)
			}
		})
	}
}

// TestReadingChangesNothing checks that a store opened to read is not written to.
func TestReadingChangesNothing(t *testing.T) {
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "db")
			s := open(t, e, adapter.Open{Dir: dir, Mode: adapter.Create})
			require.NoError(t, s.Load([]adapter.Record{{Key: []byte("key"), Value: []byte("value")}}))
			_, err := s.Commit()
			require.NoError(t, err)
			require.NoError(t, s.Quiesce(func(string) {}))
			require.NoError(t, s.Close())
			enginetest.RequireUnchanged(t, dir, func() {
				s := open(t, e, adapter.Open{Dir: dir, Mode: adapter.Read, CacheBytes: 1 << 20})
				answers := make([]adapter.Answer, 2)
				for range 2 {
					require.NoError(t, s.Get([][]byte{[]byte("key"), []byte("other")}, false, answers))
					if !answers[0].Found || string(answers[0].Value) != "value" || answers[1].Found {
						t.Errorf("answers %+v", answers)
					}
					require.NoError(t, s.Quiesce(nil))
					require.NoError(t, s.DropCaches())
				}
				require.NoError(t, s.Close())
			})
		})
	}
}

// TestRefusals checks that a refusal leaves nothing behind.
func TestRefusals(t *testing.T) {
	e := engines.All()[0]
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, "file"), nil, 0o644))
	absent := filepath.Join(t.TempDir(), "absent")
	for says, o := range map[string]adapter.Open{
		"is not empty: choose an empty directory": {Dir: taken, Mode: adapter.Create},
		"no_such":                      {Dir: absent, Mode: adapter.Create, Options: []string{"no_such=1"}},
		"preset \"none\" is not known": {Dir: absent, Mode: adapter.Create, Configuration: "none"},
		"absent":                       {Dir: absent, Mode: adapter.Read},
	} {
		_, _, err := New(context.Background(), e).Open(o)
		requireError(t, err, says)
		if _, err := os.Stat(absent); !errors.Is(err, os.ErrNotExist) {
			t.Error("a directory was made")
		}
	}
	s := open(t, e, adapter.Open{Dir: absent, Mode: adapter.Create})
	requireError(t, s.Get(nil, true, nil), "has no proofs$")
	_, err := s.Check(nil, nil)
	requireError(t, err, "has no proofs$")
	require.NoError(t, s.Close())
}

func open(t *testing.T, e engine.Engine, o adapter.Open) adapter.Store {
	t.Helper()
	s, _, err := New(context.Background(), e).Open(o)
	require.NoError(t, err)
	return s
}

// TestColdReads checks that a page is read once per key.
func TestColdReads(t *testing.T) {
	var c ColdReads
	c.Read(engine.TableRead{File: 1, Length: 48}) // opens a table
	c.Next()
	for _, r := range []engine.TableRead{
		{File: 1, Offset: 4000, Length: 200}, // pages 0 and 1
		{File: 1, Offset: 100, Length: 3996}, // the end of page 0
		{File: 1, Offset: 8191, Length: 2},   // page 1, and 2 for the first time
		{File: 2, Offset: 0, Length: 1},
		{File: 2, Offset: 0, Length: 0},
	} {
		c.Read(r)
	}
	if c.reads != 3 || c.pages != 4 {
		t.Errorf("%d reads of %d pages, want 3 of 4", c.reads, c.pages)
	}
	c.Next()
	c.Read(engine.TableRead{File: 1, Offset: 100, Length: 1})
	if c.reads != 4 || c.pages != 5 {
		t.Errorf("%d reads of %d pages after another key, want 4 of 5", c.reads, c.pages)
	}
	c.Read(engine.TableRead{File: 3, Offset: 100, Length: 48, Component: readpath.TableOpen})
	c.Read(engine.TableRead{File: 3, Offset: 50, Length: 50, Component: readpath.TableOpen}) // of the same page
	assert.EqualValues(t, 1, c.opens)
	assert.EqualValues(t, 5, c.reads)
}
