package enginetest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"getio/dataset"
	"getio/engine"
)

// lockEnv tells a child process of the test binary which database to hold open.
const lockEnv = "ENGINETEST_HOLD"

// HoldIfAsked makes the process hold a database open for writing until its
// standard input ends, if the suite started it for that. Tests call it from
// TestMain.
func (s Suite) HoldIfAsked() {
	dir := os.Getenv(lockEnv)
	if dir == "" {
		return
	}
	var loader engine.Loader
	cfg, err := s.Engine.Configure("", nil)
	if err == nil {
		loader, err = s.Engine.Resume(dir, cfg)
	}
	if err == nil {
		err = loader.Settle(context.Background(), nil) // so that it changes nothing any more
	}
	if err != nil {
		os.Stdout.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

// locked: a database that another process writes is neither read nor written.
func (l *loaded) locked(t *testing.T) {
	dir := copyOf(t, l.dir)
	release := l.holdElsewhere(t, dir)
	defer release()
	before := Fingerprint(t, dir)
	_, err := l.Engine.OpenStore(context.Background(), dir, l.cfg)
	requireError(t, "reading a locked database", err, "locked")
	_, err = l.Engine.Resume(dir, l.cfg)
	requireError(t, "loading into a locked database", err, "locked")
	_, err = l.Engine.(engine.Updater).OpenUpdating(dir, l.cfg, engine.OpenConfig{CacheBytes: 1 << 20})
	requireError(t, "updating a locked database", err, "locked")
	if Fingerprint(t, dir) != before {
		t.Error("a refused open changed the directory")
	}
}

// holdElsewhere opens dir for writing in another process.
func (l *loaded) holdElsewhere(t *testing.T, dir string) (release func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), lockEnv+"="+dir)
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	line := make([]byte, 200)
	n, err := out.Read(line)
	check(t, err)
	if !strings.HasPrefix(string(line[:n]), "held") {
		t.Fatalf("the other process does not hold the database: %s", line[:n])
	}
	return func() {
		in.Close()
		cmd.Wait()
	}
}

// resume: an interrupted load goes on, and what was synced is there.
func (l *loaded) resume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	other := &loaded{Suite: l.Suite, dir: dir, cfg: l.cfg, keys: l.keys, values: l.values}
	loader, err := l.Engine.Create(dir, l.cfg)
	check(t, err)
	other.write(t, loader, 0, keys/2)
	check(t, loader.Close())
	if loader, err = l.Engine.Resume(dir, l.cfg); err != nil {
		t.Fatal(err)
	}
	var key [dataset.KeySize]byte
	for _, i := range []uint64{0, keys/2 - 1, keys / 2} {
		l.keys.Key(i, &key)
		there, err := loader.Has(key[:])
		check(t, err)
		if there != (i < keys/2) {
			t.Errorf("key %d: there %v", i, there)
		}
	}
	other.write(t, loader, keys/2, keys-1)
	l.keys.Key(keys-1, &key)
	check(t, loader.Set(key[:], l.values.Value(keys-1, nil)))
	check(t, loader.Settle(context.Background(), nil))
	check(t, loader.Close())
	other.get(t)
	if _, err := l.Engine.Create(dir, l.cfg); err == nil {
		t.Error("a database was created over another")
	}
}

// corrupt: damage ends in an error, never in a wrong value or a missing key.
func (l *loaded) corrupt(t *testing.T) {
	name := filepath.Base(largest(t, l.tables(t)))
	for _, d := range []struct {
		name   string
		damage func(path string) error
	}{
		{"missing table", os.Remove},
		{"truncated table", func(path string) error { return os.Truncate(path, size(t, path)/2) }},
		{"empty table", func(path string) error { return os.Truncate(path, 0) }},
		{"flipped data", func(path string) error { return flip(path, size(t, path)/3) }},
		{"flipped footer", func(path string) error { return flip(path, size(t, path)-10) }},
		{"flipped properties", func(path string) error { return flip(path, size(t, path)-300) }},
		{"missing MANIFEST", func(path string) error { return removeAll(filepath.Join(filepath.Dir(path), "MANIFEST-*")) }},
	} {
		t.Run(d.name, func(t *testing.T) {
			dir := copyOf(t, l.dir)
			check(t, d.damage(filepath.Join(dir, name)))
			before := Fingerprint(t, dir)
			err := l.readAll(t, dir)
			if err == nil {
				t.Fatal("damage went unnoticed")
			}
			if Fingerprint(t, dir) != before {
				t.Error("reading a damaged database changed it")
			}
		})
	}
}

// readAll reads every key from a copy and returns the first error. A wrong
// value or a missing key is a failure of the test.
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
	var key [dataset.KeySize]byte
	for i := range uint64(keys) {
		l.keys.Key(i, &key)
		value, found, err := db.Get(key[:], nil)
		if err != nil {
			return err
		}
		if !found || !l.values.Check(i, value) {
			t.Fatalf("damage gave key %d a wrong answer: found %v, value %x", i, found, value)
		}
	}
	return nil
}

// recognise tells databases from other directories.
func (s Suite) recognise(t *testing.T) {
	if _, err := s.Engine.Recognise(t.TempDir()); !errors.Is(err, engine.ErrNoDatabase) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := s.Engine.Recognise(filepath.Join(t.TempDir(), "none")); !errors.Is(err, engine.ErrNoDatabase) {
		t.Errorf("a missing directory: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, []byte("x"), 0o600))
	if _, err := s.Engine.Recognise(file); !errors.Is(err, engine.ErrNoDatabase) {
		t.Errorf("a file: %v", err)
	}
}

func requireError(t *testing.T, what string, err error, word string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("%s: no error", what)
	case !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n"):
		t.Errorf("%s: %v", what, err)
	}
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	check(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

func largest(t *testing.T, paths []string) (largest string) {
	t.Helper()
	for _, p := range paths {
		if largest == "" || size(t, p) > size(t, largest) {
			largest = p
		}
	}
	return largest
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	fi, err := os.Stat(path)
	check(t, err)
	return fi.Size()
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
