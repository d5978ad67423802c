package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
)

// TestMain lets trials run this program.
func TestMain(m *testing.M) {
	ServeTrials(engine.Registry{aborting{}})
	os.Exit(m.Run())
}

// aborting is an engine whose library ends the process, as a failed assertion of a C library does.
type aborting struct{ engine.Engine }

func (aborting) Name() string                                      { return "aborting" }
func (aborting) Version() string                                   { return "1.2" }
func (aborting) Linked() string                                    { return "of the system" }
func (aborting) Configure(string, []string) (engine.Config, error) { return unset{}, nil }
func (aborting) Recognise(string, ...string) (engine.Recognised, error) {
	return engine.Recognised{}, nil
}

// unset is a configuration without options.
type unset struct{ engine.Config }

func (unset) Preset() string               { return "" }
func (unset) Effective() map[string]string { return nil }
func (unset) ReadOptions() []string        { return nil }

var errRefused = errors.New("refused")

// OpenStore notes that it is called.
func (aborting) OpenStore(_ context.Context, dir string, _ engine.Config) (engine.Store, error) {
	opens, err := os.OpenFile(filepath.Join(dir, "opens"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(opens, os.Getpid())
	if _, err := os.Stat(filepath.Join(dir, "intact")); err == nil {
		return nil, errRefused
	}
	if _, err := os.Stat(filepath.Join(dir, "large")); err == nil {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	fmt.Fprintf(os.Stderr, "%s: db/batch.cc:7: Iterate: Assertion `tag < last' failed.\n", filepath.Base(os.Args[0]))
	os.Exit(2)
	return nil, nil
}

// TestTrial: a database with which a library ends the process is refused by an error. One that it opens, or refuses
// itself, is tried once.
func TestTrial(t *testing.T) {
	open := func(dir string) error {
		_, err := Open(t.Context(), engine.Registry{aborting{}}, dir, OpenOptions{Engine: "aborting"})
		return err
	}
	t.Run("aborts", func(t *testing.T) {
		dir := t.TempDir()
		assert.EqualError(t, open(dir), "aborting 1.2 ends the process that opens "+dir+" (db/batch.cc:7: Iterate: Assertion `tag < last' failed.): "+
			"let its client start and stop once, or read it with a library without assertions, which 'make rocksdb-static' builds")
	})
	t.Run("killed", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "large"), nil, 0o666))
		assert.EqualError(t, open(dir), "the process that tried "+dir+" first was killed: the machine may lack memory, so end other programs and run the command again")
	})
	t.Run("opens", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "intact"), nil, 0o666))
		for range 2 {
			assert.ErrorIs(t, open(dir), errRefused)
		}
		opens, err := os.ReadFile(filepath.Join(dir, "opens"))
		require.NoError(t, err)
		self := fmt.Sprintln(os.Getpid())
		assert.Regexp(t, `^\d+\n`+self+self+`$`, string(opens))
		assert.NotRegexp(t, "^"+self, string(opens))
	})
}
