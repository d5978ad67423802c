package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/system/filesystem"
	"getio/workload/dataset"
)

// A run with the first of these in its environment kills builds at so many moments each, instead of
// a few; of datasets of so many keys; at the moments that a seed draws.
const (
	killsEnv    = "GETIO_KILLS"
	killKeysEnv = "GETIO_KILL_KEYS"
	killSeedEnv = "GETIO_KILL_SEED"
)

// TestBuildsKilledAtAnyMoment kills shaped and virtual loads at moments drawn
// from all the time that an undisturbed load takes. What is left is no dataset
// that reads as one, and goes on to the same files.
func TestBuildsKilledAtAnyMoment(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	kills := fromEnv(t, killsEnv, 3)
	seed := fromEnv(t, killSeedEnv, uint64(time.Now().UnixNano()))
	keys := fromEnv(t, killKeysEnv, 200_000)
	t.Logf("%s=%d %s=%d %s=%d", killsEnv, kills, killKeysEnv, keys, killSeedEnv, seed)
	for _, how := range []string{dataset.BuildShaped, dataset.BuildVirtual} {
		t.Run(how, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, uint64(len(how))))
			k := undisturbed(t, how, keys)
			left := map[string]int{}
			for n := range kills {
				// One moment in each of as many equal parts of the time.
				part := k.took / time.Duration(kills)
				at := time.Duration(n)*part + time.Duration(random.Int64N(int64(part)))
				for !k.killed(t, after(at), left) { // it was faster this time
					at = time.Duration(random.Int64N(int64(k.took)))
				}
			}
			for _, name := range []string{"MANIFEST-*", "CURRENT"} { // the shortest parts
				k.killed(t, atSight(name), left)
			}
			t.Logf("an undisturbed load takes %v; what kills left: %v", k.took.Round(time.Millisecond), left)
		})
	}
}

func fromEnv(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, "%s=%s", name, text)
	return n
}

// builtLoad is a load that nothing disturbed, and how long it took.
type builtLoad struct {
	how  string
	keys uint64
	took time.Duration
	sums map[string]string
}

func undisturbed(t *testing.T, how string, keys uint64) *builtLoad {
	t.Helper()
	k := &builtLoad{how: how, keys: keys}
	dir := filepath.Join(t.TempDir(), "whole")
	begun := time.Now()
	require.NoError(t, getio(k.begin(dir)...))
	k.took = time.Since(begun)
	require.NoError(t, checkWhole(dir, keys))
	k.sums = fileSums(t, dir)
	require.NoError(t, os.RemoveAll(dir))
	return k
}

func (k *builtLoad) begin(dir string) []string {
	return []string{"load", dir, "--" + k.how, "--keys", strconv.FormatUint(k.keys, 10)}
}

// awaited waits for a moment of a load into dir, or until it has ended.
type awaited func(dir string, ended <-chan struct{})

func after(d time.Duration) awaited {
	return func(_ string, ended <-chan struct{}) {
		select {
		case <-time.After(d):
		case <-ended:
		}
	}
}

// atSight is when the database has a file of a name.
func atSight(name string) awaited {
	return func(dir string, ended <-chan struct{}) {
		look := time.NewTicker(200 * time.Microsecond)
		defer look.Stop()
		for countFiles(filepath.Join(dir, "db", name)) == 0 {
			select {
			case <-look.C:
			case <-ended:
				return
			}
		}
	}
}

// killed begins the load, kills it at the moment, and goes on with it. It is
// false if the load ended before. left counts what kills leave.
func (k *builtLoad) killed(t *testing.T, at awaited, left map[string]int) bool {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "killed")
	defer os.RemoveAll(dir)
	cmd := exec.Command("getio", k.begin(dir)...)
	require.NoError(t, cmd.Start())
	begun, ended := time.Now(), make(chan struct{})
	var err error
	go func() {
		err = cmd.Wait()
		close(ended)
	}()
	at(dir, ended)
	took := time.Since(begun)
	cmd.Process.Kill()
	<-ended
	if err == nil {
		k.holdWhole(t, dir)
		return false
	}
	m, read := dataset.Read(dir)
	left[leftIn(dir, m)]++
	t.Logf("killed after %v: %s", took.Round(100*time.Microsecond), leftIn(dir, m))
	switch {
	case errors.Is(read, dataset.ErrNoManifest):
		k.refusedWith(t, dir, "")
		require.NoError(t, getio(k.begin(dir)...))
	case read != nil:
		t.Fatal(read)
	case !m.Complete:
		k.refusedWith(t, dir, "did not finish: resume with 'getio load "+dir+" --resume'")
		require.NoError(t, getio("load", dir, "--resume"))
	}
	k.holdWhole(t, dir)
	return true
}

// leftIn names what a killed load left.
func leftIn(dir string, m *dataset.Manifest) string {
	switch {
	case m == nil:
		return "no manifest"
	case m.Complete:
		return "complete"
	case countFiles(filepath.Join(dir, "db", "CURRENT")) > 0:
		return "a database, not complete"
	case m.Progress != nil && m.Progress.Durable == uint64(len(m.Tree().Tables)):
		return "all tables durable"
	case m.Progress != nil && m.Progress.Durable > 0:
		return "some tables durable"
	case countFiles(filepath.Join(dir, "db", "*.sst")) > 0:
		return "some tables"
	}
	return "no tables"
}

// refusedWith holds measure to refuse the directory in one line, and to change nothing in it.
func (k *builtLoad) refusedWith(t *testing.T, dir, words string) {
	t.Helper()
	before, beforeErr := fingerprint(dir, true)
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(context.Background(), "getio", "measure", dir, "--cache", "1MiB", "--gets", "1000", "--json")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed || out.Len() > 0 {
		t.Errorf("measure of what a killed load left: %v, %s", err, out.String())
	}
	if text := errOut.String(); !strings.Contains(text, words) || strings.Count(text, "\n") != 1 {
		t.Errorf("measure of what a killed load left says %q, want %q", text, words)
	}
	after, afterErr := fingerprint(dir, true)
	if after != before || errors.Is(beforeErr, fs.ErrNotExist) != errors.Is(afterErr, fs.ErrNotExist) {
		t.Errorf("measure changed what a killed load left: %s", firstDifference(before, after))
	}
}

// holdWhole holds a dataset against the one of the undisturbed load: the same
// files with the same bytes, and no others.
func (k *builtLoad) holdWhole(t *testing.T, dir string) {
	t.Helper()
	m, err := dataset.Read(dir)
	require.NoError(t, err)
	if !m.Complete || m.Progress != nil || m.Keys != k.keys {
		t.Errorf("the manifest says complete %v, %d keys, progress %+v", m.Complete, m.Keys, m.Progress)
	}
	sums := fileSums(t, dir)
	if !maps.Equal(sums, k.sums) {
		for name := range maps.Keys(k.sums) {
			assert.Equal(t, k.sums[name], sums[name], name)
		}
		t.Fatalf("%d files, want %d", len(sums), len(k.sums))
	}
}

// fileSums are the SHA-256 of a dataset's files, but for the manifest, which
// says when it was loaded.
func fileSums(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == dataset.ManifestName {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			sums[name], err = filesystem.SHA256(path)
		}
		return err
	}))
	return sums
}
