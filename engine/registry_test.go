package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
)

// fake is an engine that can only recognise.
type fake struct {
	engine.Engine
	name  string
	found engine.Recognised
	err   error
}

func (f fake) Name() string                                           { return f.name }
func (f fake) Recognise(string, ...string) (engine.Recognised, error) { return f.found, f.err }

var (
	errNothing = fmt.Errorf("x holds %w", engine.ErrNoDatabase)
	errTooNew  = errors.New("x has format 99")
)

func TestRecogniseTakesTheFirstEngine(t *testing.T) {
	r := engine.Registry{
		fake{name: "a", err: errTooNew},
		fake{name: "b", found: engine.Recognised{Format: 7}},
		fake{name: "c", found: engine.Recognised{Format: 8}},
	}
	e, found, err := r.Recognise("x")
	if err != nil || e.Name() != "b" || found.Format != 7 {
		t.Errorf("%v, %+v, %v", e, found, err)
	}
}

func TestRecogniseReturnsTheMostSpecificError(t *testing.T) {
	damaged := errors.New("x is damaged")
	for name, c := range map[string]struct {
		errs []error
		want error
	}{
		"nobody knows it":        {[]error{errNothing, fmt.Errorf("other: %w", engine.ErrNoDatabase)}, errNothing},
		"the second knows it":    {[]error{errNothing, errTooNew, errNothing}, errTooNew},
		"the first of two knows": {[]error{errTooNew, damaged}, errTooNew},
	} {
		var r engine.Registry
		for _, err := range c.errs {
			r = append(r, fake{err: err})
		}
		if e, _, err := r.Recognise("x"); e != nil || err != c.want {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	if _, _, err := (engine.Registry{}).Recognise("x"); !errors.Is(err, engine.ErrNoDatabase) {
		t.Errorf("without engines: %v", err)
	}
}

func TestRecogniseStopsAtAReadError(t *testing.T) {
	failed := fmt.Errorf("x: %w", &fs.PathError{Op: "read", Path: "x/OPTIONS-1", Err: syscall.EIO})
	missing := fmt.Errorf("x: %w", &fs.PathError{Op: "open", Path: "x/CURRENT", Err: syscall.ENOENT})
	next := fake{name: "next", found: engine.Recognised{Format: 8}}
	if e, _, err := (engine.Registry{fake{err: failed}, next}).Recognise("x"); e != nil || err != failed {
		t.Errorf("%v, %v", e, err)
	}
	if e, _, err := (engine.Registry{fake{err: missing}, next}).Recognise("x"); err != nil || e.Name() != "next" {
		t.Errorf("%v, %v", e, err)
	}
}

func TestByName(t *testing.T) {
	all := engines.All()
	for _, name := range all.Names() {
		if e, err := all.ByName(name); err != nil || e.Name() != name {
			t.Errorf("%s: %v, %v", name, e, err)
		}
	}
	if e, err := all.ByName("leveldb"); err != nil || e.Name() != "goleveldb" {
		t.Errorf("leveldb: %v, %v", e, err)
	}
	_, err := all.ByName("berkeleydb")
	assert.ErrorContains(t, err, strings.Join(all.Names(), ", "))
}

// database makes a database of a real engine.
func database(t *testing.T, name string, format int) string {
	t.Helper()
	e, err := engines.All().ByName(name)
	require.NoError(t, err)
	cfg, err := e.Configure("", []string{fmt.Sprintf("format=%d", format)})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "db")
	l, err := e.Create(dir, cfg)
	require.NoError(t, err)
	require.NoError(t, l.Set([]byte("key"), []byte("value")))
	require.NoError(t, l.Close())
	return dir
}

// A database is read with the newest version that can, as in geth. The others refer to it.
func TestVersionsOfPebble(t *testing.T) {
	for _, c := range []struct {
		writer string
		format int
		reader string
		others string // part of the error of the other version; "" if it could read it too
	}{
		{"pebblev1", 1, "pebblev1", "--engine pebblev1"},
		{"pebblev1", 12, "pebblev1", "--engine pebblev1"},
		{"pebblev1", 13, "pebblev2", ""},
		{"pebblev1", 16, "pebblev2", ""},
		{"pebblev2", 13, "pebblev2", ""},
		{"pebblev2", 16, "pebblev2", ""},
		{"pebblev2", 19, "pebblev2", "--engine pebblev2"},
	} {
		dir := database(t, c.writer, c.format)
		e, found, err := engines.All().Recognise(dir)
		if err != nil || e.Name() != c.reader || found.Format != c.format {
			t.Errorf("%s format %d: %v, %+v, %v", c.writer, c.format, e, found, err)
		}
		for _, name := range []string{"pebblev1", "pebblev2"} {
			if c.others == "" || name == c.reader {
				continue
			}
			other, err := engines.All().ByName(name)
			require.NoError(t, err)
			if _, err := other.Recognise(dir); err == nil || !strings.Contains(err.Error(), c.others) || errors.Is(err, engine.ErrNoDatabase) {
				t.Errorf("%s on format %d: %v", name, c.format, err)
			}
		}
	}
}

func TestRecogniseRefusesUnknownFormats(t *testing.T) {
	dir := database(t, "pebblev2", 13)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "marker.format-version.999999.999"), nil, 0o600))
	e, _, err := engines.All().Recognise(dir)
	if e != nil || err == nil || !strings.Contains(err.Error(), "format 999") || !strings.Contains(err.Error(), "newer Pebble") {
		t.Errorf("%v, %v", e, err)
	}
}

func TestRecogniseWithoutADatabase(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for _, path := range []string{dir, filepath.Join(dir, "file"), filepath.Join(dir, "none")} {
		if e, _, err := engines.All().Recognise(path); e != nil || !errors.Is(err, engine.ErrNoDatabase) {
			t.Errorf("%s: %v, %v", path, e, err)
		}
	}
}

// TestDirectoryOfDatabases: clients keep several databases below one directory, which the error for it names.
func TestDirectoryOfDatabases(t *testing.T) {
	top := t.TempDir()
	_, _, err := engines.All().Recognise(top)
	require.ErrorIs(t, err, engine.ErrNoDatabase)
	assert.NotContains(t, err.Error(), "below")
	for _, name := range []string{"state", "code"} {
		require.NoError(t, os.Rename(database(t, "pebblev2", 13), filepath.Join(top, name)))
	}
	require.NoError(t, os.Mkdir(filepath.Join(top, "keystore"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(top, "state"), filepath.Join(top, "link")))
	_, _, err = engines.All().Recognise(top)
	require.ErrorIs(t, err, engine.ErrNoDatabase)
	assert.EqualError(t, err, top+" holds no database itself, but has some below: name one of "+filepath.Join(top, "code")+", "+filepath.Join(top, "state"))
	above := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.MkdirAll(filepath.Join(above, "b"), 0o755))
	require.NoError(t, os.CopyFS(filepath.Join(above, "b", "c"), os.DirFS(filepath.Join(top, "state"))))
	_, _, err = engines.All().Recognise(filepath.Dir(above))
	assert.ErrorContains(t, err, "name one of "+filepath.Join(above, "b", "c"), "three directories below")
	for i := range 9 {
		require.NoError(t, os.CopyFS(filepath.Join(top, fmt.Sprintf("x%d", i)), os.DirFS(filepath.Join(top, "state"))))
	}
	_, _, err = engines.All().Recognise(top)
	assert.ErrorContains(t, err, "x5, or 3 more")
}
