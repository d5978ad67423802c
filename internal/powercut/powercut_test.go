//go:build linux

package powercut

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/filecalls"
)

// roleEnv makes the test binary an executor, or the program that is recorded.
const roleEnv = "GETIO_POWERCUT_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "executor":
		os.Setenv(roleEnv, "program")
		fmt.Fprintln(os.Stderr, filecalls.Exec(os.Args[1:]))
	case "program":
		err := program(os.Args[1])
		if err == nil {
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

// program writes files in dir: a synced one in a synced directory; one that is renamed over another, as
// it should be done; one that is renamed before it is synced; and one that is never synced.
func program(dir string) error {
	in := func(name string) string { return filepath.Join(dir, name) }
	steps := []func() error{
		func() error { return os.Mkdir(in("d"), 0o755) },
		func() error { return sync(dir) },
		func() error { return os.WriteFile(in("d/safe"), []byte("old"), 0o644) },
		func() error { return sync(in("d/safe")) },
		func() error { return sync(in("d")) },
		func() error { return os.WriteFile(in("d/temp"), []byte("new"), 0o644) },
		func() error { return sync(in("d/temp")) },
		func() error { return os.Rename(in("d/temp"), in("d/safe")) },
		func() error { return sync(in("d")) },
		func() error { return os.WriteFile(in("d/temp"), []byte("rash"), 0o644) },
		func() error { return os.Rename(in("d/temp"), in("d/rash")) },
		func() error { return os.WriteFile(in("large"), make([]byte, 3*4096), 0o644) },
		func() error { return os.Truncate(in("large"), 4096) },
		func() error { return os.Remove(in("large")) },
		func() error { return os.WriteFile(in("large"), []byte("again"), 0o644) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// TestStates draws many states: what was synced is in each, and what was not is in some and not in others.
func TestStates(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), roleEnv+"=executor")
	cmd.Stderr = os.Stderr
	log, err := Record(os.Args[0], cmd, dir)
	require.NoError(t, err)
	seen := map[string]int{}
	for n := range uint64(2000) {
		s := log.Draw(rand.New(rand.NewPCG(1, n)))
		assert.Equal(t, s.Sum(), log.Draw(rand.New(rand.NewPCG(1, n))).Sum(), "a seed does not repeat a state")
		text := func(name string) string {
			if f, there := s.files[name]; there {
				return string(f.data)
			}
			return "none"
		}
		if large := text("large"); large != "none" {
			assert.Equal(t, "new", text("d/safe"), "what was synced before the last file is lost: %s", s.Why)
			seen[fmt.Sprint("large ", len(large))]++
		}
		for _, name := range []string{"d/safe", "d/temp", "d/rash"} {
			seen[name+" "+text(name)]++
		}
	}
	for _, state := range []string{
		"d/safe none", "d/safe ", "d/safe old", "d/safe new", "d/temp none", "d/temp new", "d/temp rash", "d/rash none", "d/rash ", "d/rash r",
		"d/rash rash", "large 0", "large 4", "large 5", "large 12288",
	} {
		assert.Positive(t, seen[state], "%s, of %v", state, seen)
	}
}

// TestWrite writes a state to a directory, which is then the recorded one.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", "cd "+dir+" && mkdir a && echo b > a/b && echo c >> a/b && mv a d && rm -r /none || :")
	cmd.Env = append(os.Environ(), roleEnv+"=executor")
	log, err := Record(os.Args[0], cmd, dir)
	require.NoError(t, err)
	copied := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, log.whole().Write(copied))
	assert.NoError(t, log.Check(copied))
	text, err := os.ReadFile(filepath.Join(copied, "d", "b"))
	require.NoError(t, err)
	assert.Equal(t, "b\nc\n", string(text))
}

// TestUnseenWrite requires that Record notices a write that it does not see.
func TestUnseenWrite(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", "echo seen > "+dir+"/f")
	cmd.Env = append(os.Environ(), roleEnv+"=executor")
	log, err := Record(os.Args[0], cmd, dir)
	require.NoError(t, err)
	require.NoError(t, log.Check(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("SEEN\n"), 0o644))
	assert.ErrorContains(t, log.Check(dir), "f differs from what was recorded")
}
