package engines_test

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
	"getio/internal/enginetest"
)

// resume interrupts a load and resumes it: what was synced is there.
func (l *loaded) resume(t *testing.T) {
	other := *l
	other.dir = filepath.Join(t.TempDir(), "db")
	loader, err := l.Engine.Create(other.dir, l.cfg)
	require.NoError(t, err)
	other.write(t, loader, 0, keys/2)
	require.NoError(t, loader.Close())
	loader, err = l.Engine.Resume(other.dir, l.cfg)
	require.NoError(t, err)
	for _, i := range []uint64{0, keys/2 - 1, keys / 2} {
		there, err := loader.Has(l.key(i))
		require.NoError(t, err)
		assert.Equal(t, i < keys/2, there, "key %d", i)
	}
	other.write(t, loader, keys/2, keys-1)
	require.NoError(t, loader.Set(l.key(keys-1), l.values.Value(keys-1, nil)))
	require.NoError(t, loader.Settle(context.Background(), nil))
	require.NoError(t, loader.Close())
	other.get(t)
	_, err = l.Engine.Create(other.dir, l.cfg)
	assert.Error(t, err, "a database was created over another")
}

// corrupt checks that damage causes an error, never a wrong value or a missing key.
func (l *loaded) corrupt(t *testing.T) {
	var largest string
	for _, path := range l.tables(t) {
		if largest == "" || size(t, path) > size(t, largest) {
			largest = path
		}
	}
	bytes := size(t, largest)
	flip := func(at int64) func(string) error { return func(path string) error { return flip(path, at) } }
	truncate := func(to int64) func(string) error { return func(path string) error { return os.Truncate(path, to) } }
	for name, damage := range map[string]func(path string) error{
		"missing table":      os.Remove,
		"truncated table":    truncate(bytes / 2),
		"empty table":        truncate(0),
		"flipped data":       flip(bytes / 3),
		"flipped footer":     flip(bytes - 10),
		"flipped properties": flip(bytes - 300),
		"missing MANIFEST":   func(path string) error { return removeAll(filepath.Join(filepath.Dir(path), "MANIFEST-*")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := enginetest.CopyOf(t, l.dir)
			require.NoError(t, damage(filepath.Join(dir, filepath.Base(largest))))
			enginetest.RequireUnchanged(t, dir, func() {
				require.Error(t, l.readAll(t, dir), "damage went unnoticed")
			})
			if strings.HasSuffix(name, "table") {
				l.unopened(t, dir)
			}
		})
	}
}

// unopened checks that files are compared with the MANIFEST before any table is read.
func (l *loaded) unopened(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := l.Engine.OpenStore(ctx, l.dir, l.cfg)
	require.ErrorIs(t, err, context.Canceled, "tables are read although the context is done")
	_, err = l.Engine.OpenStore(ctx, dir, l.cfg)
	require.Error(t, err)
	require.NotErrorIs(t, err, context.Canceled, "tables are read before the files are compared with the MANIFEST")
}

// readAll reads every key of a copy and returns the first error. A wrong value or a
// missing key fails the test.
func (l *loaded) readAll(t *testing.T, dir string) error {
	s, err := l.Engine.OpenStore(context.Background(), dir, l.cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	db, err := s.Open(engine.OpenConfig{CacheBytes: 4 << 20})
	if err != nil {
		return err
	}
	defer db.Close()
	for i := range uint64(keys) {
		value, found, err := db.Get(l.key(i), nil)
		if err != nil {
			return err
		}
		if !found || !l.values.Check(i, value) {
			t.Fatalf("damage gave key %d a wrong answer: found %v, value %x", i, found, value)
		}
	}
	return nil
}

// flip inverts some bytes.
func flip(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, 4)
	if _, err := f.ReadAt(b, at); err != nil {
		return err
	}
	for i := range b {
		b[i] ^= 0xff
	}
	_, err = f.WriteAt(b, at)
	return err
}

func removeAll(pattern string) error {
	paths, err := filepath.Glob(pattern)
	for _, p := range paths {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}
