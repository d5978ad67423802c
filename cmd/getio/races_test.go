package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/otheruser"
	"getio/internal/probetest"
	"getio/system/subprocess"
)

// A run with it in its environment runs each command so many times beside another user who replaces its files, instead of
// a few.
const racesEnv = "GETIO_RACES"

// racing are commands that root runs on OUT and DB, which another user owns. RECORDS, PLAN and TREE, which process PID reads,
// are root's.
var racing = []string{
	"report RECORDS -o OUT/out.html",
	"sweep TREE --cache 1MiB --gets 1k --warmup 0 --workers 1 --out OUT/out.jsonl",
	"measure TREE --cache 1MiB --gets 1k --warmup 0 --workers 1 --record OUT/out.trace",
	"inspect TREE --shape OUT/out.json",
	"inspect DB --live",
	"measure DB --live --cache 1MiB --gets 1k --warmup 0 --workers 1",
	"advise DB --live --gets 1k",
	"watch PID --for 1s --record OUT/out.trace",
	"plan sweep TREE --workers 1 --cache 1MiB --gets 1k --warmup 0 -o OUT/out.jsonl",
	"run PLAN --cell 0 --data OUT/d --out OUT/c",
	"gate --baseline RECORDS OUT/out.jsonl",
	"count --copy DB -- true",
	"load OUT/d --keys 2k",
	"chain build OUT/c --engine leveldb --accounts 500 --slots 4 --blocks 50 --txs 2 --age 0 --freezer 20",
}

// outputs are names that the commands write to.
var outputs = []string{"out.html", "out.jsonl", "out.trace", "out.json", "d", "c"}

// replaceOutputs is an otheruser.Act: paths are a directory with the directory out and the database db, and one of root's.
// It puts a link to root's in the place of out, of what is written there, of a file of the database, or of its copies, and
// takes most of them away again.
func replaceOutputs(round int, paths []string) {
	in, roots := paths[0], paths[1]
	name := outputs[round/4%len(outputs)]
	path, link := filepath.Join(in, "out", name), os.Symlink
	switch round % 4 {
	case 0:
		path, name = filepath.Join(in, "out"), ""
	case 1:
		link = os.Link // where the kernel allows it
	case 2:
		path, name = filepath.Join(in, "db", "CURRENT"), "out.json"
		otheruser.ReplaceDirs(round, []string{in, roots, "db.getio-live-"})
	}
	pause := func() { time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond) }
	os.Rename(path, path+"-moved")
	link(filepath.Join(roots, name), path)
	pause()
	os.Remove(path)
	if round%4 == 0 || round%4 == 2 { // what was written is made anew
		os.Rename(path+"-moved", path)
	}
	pause()
}

// TestOthersDirectoriesAreRefused: libraries write by name, so root writes no dataset and no chain into a directory of another
// user, or below one, wherever a link of root's leads there.
func TestOthersDirectoriesAreRefused(t *testing.T) {
	otheruser.Require(t)
	t.Parallel()
	top := otheruser.Dir(t)
	theirs := otheruser.Own(t, filepath.Join(top, "theirs"))
	link := filepath.Join(top, "link")
	require.NoError(t, os.Symlink(theirs, link))
	// Where their own link leads to a directory of root's, it can lead to another one a moment later.
	mine, links, through := filepath.Join(top, "mine"), filepath.Join(top, "links"), filepath.Join(top, "through")
	require.NoError(t, errors.Join(os.Mkdir(mine, 0o755), os.Mkdir(links, 0o755)))
	theirLink := filepath.Join(otheruser.Own(t, filepath.Join(links, "theirs")), "link")
	require.NoError(t, os.Symlink(mine, theirLink))
	require.NoError(t, os.Symlink(theirLink, through))
	plan := filepath.Join(top, "plan.jsonl")
	virtual := filepath.Join(top, "virtual")
	require.NoError(t, getio("load", virtual, "--virtual", "--keys", "20k"))
	require.NoError(t, getio("plan", "sweep", virtual, "--workers", "1", "--cache", "1MiB", "--gets", "1k", "--warmup", "0", "-o", plan))
	for _, command := range []string{
		"load DIR --keys 2k", "load DIR/a/b --keys 2k", "load DIR/d --virtual --keys 2k",
		"chain build DIR/c --engine leveldb --accounts 500", "run PLAN --cell 0 --data DIR/a --out " + top + "/cells",
		"run PLAN --cell 0 --data " + top + "/data --out DIR/cells",
	} {
		for _, dir := range []string{theirs, link, theirLink, through} {
			words := strings.Fields(strings.NewReplacer("DIR", dir, "PLAN", plan).Replace(command))
			out, err := exec.Command("getio", words...).CombinedOutput()
			assert.Error(t, err, words)
			assert.Regexp(t, `(?m)^getio: .*/theirs belongs to user 65534, who could replace it meanwhile: run getio as that user, or choose another directory.*$`, string(out), "%v", words)
		}
	}
	for _, dir := range []string{theirs, mine} {
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

// TestAnotherUserRacesCommands: another user, who owns the directories, puts links to root's files and directories in the
// place of what root's commands read and write. Nothing of root's is changed, and nothing is written there.
func TestAnotherUserRacesCommands(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	otheruser.Require(t)
	t.Parallel()
	rounds := fromEnv(t, racesEnv, 2)
	tree, err := sharedDataset("pebblev2")
	require.NoError(t, err)
	top := otheruser.Dir(t)
	records := filepath.Join(top, "records.jsonl")
	require.NoError(t, getio("sweep", tree, "--cache", "1MiB,2MiB", "--gets", "1k", "--warmup", "0", "--out", records))
	virtual, plan := filepath.Join(top, "virtual"), filepath.Join(top, "plan.jsonl")
	require.NoError(t, getio("load", virtual, "--virtual", "--keys", "20k"))
	require.NoError(t, getio("plan", "sweep", virtual, "--workers", "1", "--cache", "1MiB", "--gets", "1k", "--warmup", "0", "-o", plan))
	client := exec.Command("getio", "measure", tree, "--cache", "1MiB", "--gets", "2B", "--workers", "1", "--read-latency", "1ms")
	subprocess.EndWithParent(client)
	require.NoError(t, client.Start())
	t.Cleanup(func() {
		client.Process.Kill()
		client.Wait()
	})
	for !hasOpenTable(client.Process.Pid, filepath.Join(tree, "db")) {
		time.Sleep(time.Millisecond)
	}
	state := filepath.Join(top, "state")
	require.NoError(t, os.Mkdir(state, 0o711))
	roots := filepath.Join(top, "roots")
	for _, name := range outputs {
		require.NoError(t, os.MkdirAll(filepath.Join(roots, "db"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(roots, name), []byte("root's"), 0o666))
		require.NoError(t, os.Chmod(filepath.Join(roots, name), 0o666)) // so that it can be linked
	}
	in := otheruser.Own(t, filepath.Join(top, "in"))
	out := otheruser.Own(t, filepath.Join(in, "out"))
	db := filepath.Join(in, "db")
	require.NoError(t, os.CopyFS(db, os.DirFS(filepath.Join(tree, "db"))))
	require.NoError(t, exec.Command("chown", "-R", "65534:65534", db).Run())
	before, err := fingerprint(roots, true)
	require.NoError(t, err)
	otheruser.Start(t, "outputs", in, roots)
	names := strings.NewReplacer("RECORDS", records, "TREE", tree, "PLAN", plan, "PID", fmt.Sprint(client.Process.Pid), "OUT", out, "DB", db)
	needs := map[string]func() bool{"watch": func() bool { return probetest.Rights() == nil }, "count": canCount}
	for _, command := range racing {
		words := strings.Fields(command)
		t.Run(strings.Join(words[:2], " "), func(t *testing.T) {
			if may := needs[words[0]]; may != nil && !may() {
				t.Skip("needs rights that this process does not have")
			}
			changed, exits := 0, map[int]int{}
			for range rounds {
				var errOut bytes.Buffer
				cmd := exec.Command(hastyName, strings.Fields(names.Replace(command))...)
				cmd.Stderr = &errOut
				cmd.Env = append(os.Environ(), stateEnv+"="+state)
				cmd.Run() // the other user can make it fail
				exits[cmd.ProcessState.ExitCode()]++
				assert.NotEqual(t, exitMisused, cmd.ProcessState.ExitCode(), errOut.String())
				after, err := fingerprint(roots, true)
				require.NoError(t, err)
				if after != before {
					changed++
					t.Errorf("%s: %s", command, firstDifference(before, after))
					before = after
				}
			}
			t.Logf("%d rounds: root's files changed in %d; exit codes %v", rounds, changed, exits)
		})
	}
}
