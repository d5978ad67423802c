package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/system/subprocess"
)

// A run with the first of these in its environment interrupts each command at so many moments, instead of a few, which
// the seed draws.
const (
	interruptsEnv    = "GETIO_INTERRUPTS"
	interruptSeedEnv = "GETIO_INTERRUPT_SEED"
)

// hastyName is getio with its own patience after an interruption, unlike that of scripts.
const hastyName = "getio-hasty"

func hastyGetio() {
	counterState = os.Getenv(stateEnv)
	main()
}

// roundEnv marks the processes of one round.
const roundEnv = "GETIO_TEST_ROUND"

// creating are the commands that create something. HELD is a database that another process has open, PID a process that
// makes Gets, DATA a directory of a dataset, PLAN its plan, and IN an empty directory.
var creating = []struct {
	name, command string
	kept          string // in IN, what stays after an interruption that says so
	says          string
	fails         string // what it may say when it ends by itself, on a busy machine
	needs         func() bool
}{
	{name: "load", command: "load IN/d --keys 8k --option memtable_size=256KiB", kept: `/d(/.*)?`, says: "resume with 'getio load IN/d --resume'"},
	{name: "load --virtual", command: "load IN/d --virtual --keys 50k", kept: `/d(/.*)?`, says: "resume with 'getio load IN/d --resume'"},
	{name: "measure --live", command: "measure HELD --live --cache 1MiB --gets 2k --warmup 500"},
	{name: "measure --record", command: "measure DATA/d --cache 1MiB --gets 2k --warmup 500 --record IN/trace"},
	{name: "inspect --live", command: "inspect HELD --live"},
	{name: "inspect --shape", command: "inspect DATA/d --shape IN/shape.json"},
	{name: "advise --live", command: "advise HELD --live --gets 2k"},
	{name: "advise PID", command: "advise PID --for 200ms", fails: "too few Gets", needs: func() bool { return probetest.Rights() == nil }},
	{name: "compare-state", command: "compare-state --keys 1000 --engines goleveldb --lookups 10 --budgets none --out IN/s.jsonl", needs: canCount,
		kept: `/s\.jsonl`, says: "kept in"},
	{name: "count", command: "count --copy DATA -- cat d/getio.json", needs: canCount},
	{name: "chain build", command: "chain build IN/c --engine leveldb --accounts 500 --slots 4 --blocks 50 --txs 2 --age 0 --freezer 20"},
	{name: "sweep", command: "sweep DATA/d --cache 1MiB,2MiB --gets 2k --warmup 500 --out IN/s.jsonl", kept: `/s\.jsonl`, says: "are kept in IN/s.jsonl"},
	{name: "run", command: "run PLAN --cell 0 --data IN/data --out IN/cells", kept: `/data(/.*)?`, says: ""},
}

// TestInterruptedCommandsLeaveNothing interrupts commands at moments drawn from all the time that they take: they leave no
// file, hard link, mount, loop device, control group or process, except what they say is kept.
func TestInterruptedCommandsLeaveNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	t.Parallel()
	rounds := fromEnv(t, interruptsEnv, 2)
	seed := fromEnv(t, interruptSeedEnv, uint64(time.Now().UnixNano()))
	t.Logf("%s=%d %s=%d", interruptsEnv, rounds, interruptSeedEnv, seed)
	l := newLeftovers(t)
	for i, c := range creating {
		t.Run(c.name, func(t *testing.T) {
			if c.needs != nil && !c.needs() {
				t.Skip("needs rights that this process does not have")
			}
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			l.round(t, i, -1) // the first one finds the program and the files in no cache
			_, took := l.round(t, i, -1)
			exits := map[int]int{}
			for range rounds {
				code, _ := l.round(t, i, time.Duration(random.Int64N(int64(took))))
				exits[code]++
			}
			t.Logf("undisturbed %v; exit codes of %d rounds: %v", took.Round(time.Millisecond), rounds, exits)
		})
	}
}

// leftovers is a directory in which commands are interrupted, and what lies beside them.
type leftovers struct {
	top, in string
	names   *strings.Replacer
	n       int
}

func newLeftovers(t *testing.T) *leftovers {
	t.Helper()
	top := t.TempDir()
	data, held, client := filepath.Join(top, "data"), filepath.Join(top, "held"), filepath.Join(top, "client")
	l := &leftovers{top: top, in: filepath.Join(top, "in")}
	small := strings.Fields("--keys 5k --option memtable_size=256KiB --option target_file_size=128KiB")
	require.NoError(t, getio(append([]string{"load", filepath.Join(data, "d")}, small...)...))
	require.NoError(t, os.CopyFS(client, os.DirFS(filepath.Join(data, "d", "db"))))
	// It takes some time to link 1,700 tables.
	many := filepath.Join(t.TempDir(), "many")
	require.NoError(t, getio("load", many, "--shaped", "--keys", "50k", "--option", "target_file_size=4KiB"))
	require.NoError(t, os.Rename(filepath.Join(many, "db"), held))
	foreign := filepath.Join(top, "held.getio-live-0123456789abcdef")
	require.NoError(t, os.Mkdir(foreign, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "file"), []byte("foreign"), 0o600))
	virtual, plan := filepath.Join(top, "v"), filepath.Join(top, "plan.jsonl")
	require.NoError(t, getio("load", virtual, "--virtual", "--keys", "20k"))
	require.NoError(t, getio("plan", "sweep", virtual, "--workers", "1", "--cache", "1MiB", "--gets", "2k", "--warmup", "500", "-o", plan))
	ready := filepath.Join(t.TempDir(), "ready")
	start := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		subprocess.EndWithParent(cmd)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
		return cmd
	}
	start("hold-db", many, ready, held)
	for countFiles(ready) == 0 {
		time.Sleep(time.Millisecond)
	}
	getting := start("nice", "getio", "measure", client, "--cache", "1MiB", "--gets", "2B", "--workers", "1")
	for !hasOpenTable(getting.Process.Pid, client) {
		time.Sleep(time.Millisecond)
	}
	l.names = strings.NewReplacer("HELD", held, "DATA", data, "PLAN", plan, "PID", fmt.Sprint(getting.Process.Pid), "IN", l.in)
	return l
}

// round runs one of creating in an empty directory and interrupts it after some time, unless that is negative. It returns the
// command's exit code, and how long it took.
func (l *leftovers) round(t *testing.T, i int, after time.Duration) (code int, took time.Duration) {
	t.Helper()
	c := creating[i]
	kept, command := "", l.names.Replace(c.command)
	require.NoError(t, os.RemoveAll(l.in))
	state, temp := filepath.Join(l.in, "state"), filepath.Join(l.in, "tmp")
	require.NoError(t, os.MkdirAll(state, 0o711))
	require.NoError(t, os.MkdirAll(temp, 0o755))
	before, err := fingerprint(l.top, false)
	require.NoError(t, err)
	made := newNames(t, state)
	l.n++
	mark := fmt.Sprintf("%s=%d-%d", roundEnv, os.Getpid(), l.n)
	cmd := exec.Command(hastyName, strings.Fields(command)...)
	cmd.Env = append(os.Environ(), mark, stateEnv+"="+state, "TMPDIR="+temp)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	begun := time.Now()
	require.NoError(t, cmd.Start())
	if after >= 0 {
		time.Sleep(after)
		cmd.Process.Signal(os.Interrupt) // fails if it has ended
	}
	err = cmd.Wait()
	took, code = time.Since(begun), cmd.ProcessState.ExitCode()
	text := errOut.String()
	switch {
	case err == nil:
		kept = `/.*`
	case after >= 0 && code == exitInterrupted:
		if strings.Contains(text, l.names.Replace(c.says)) {
			kept = c.kept
		}
	case after >= 0 && code == -1 && text == "": // before it knew what to do then
	case c.fails != "" && strings.Contains(text, c.fails):
	default:
		t.Fatalf("after %v: %v\n%s%s", after, err, out.String(), text)
	}
	what := fmt.Sprintf("%s\nafter %v: %v\n%s%s", command, after, err, out.String(), text)
	assert.Empty(t, l.left(t, before, kept), what)
	require.NoError(t, holdsNoLinks(filepath.Join(l.top, "held")), what)
	for name, of := range map[string]func() []string{
		"mounts":         func() []string { return linesWith("/proc/self/mountinfo", l.in) },
		"loop devices":   func() []string { return linesWith("/sys/block/loop*/loop/backing_file", l.in) },
		"processes":      func() []string { return linesWith("/proc/[0-9]*/environ", mark) },
		"control groups": func() []string { return groupsNamed(made()) },
	} {
		if left := of(); len(left) > 0 {
			t.Errorf("%s are left: %s\n%s", name, left, what)
		}
	}
	return code, took
}

// left returns what differs from a fingerprint, except for what is kept in IN.
func (l *leftovers) left(t *testing.T, before, kept string) (left []string) {
	t.Helper()
	after, err := fingerprint(l.top, false)
	require.NoError(t, err)
	of := regexp.MustCompile("^" + regexp.QuoteMeta(l.in) + kept + " ")
	unfinished := regexp.MustCompile(`^` + regexp.QuoteMeta(l.in) + `/(tmp/|state/|.*\.getio-)`)
	for line := range strings.Lines(after) {
		if !strings.Contains(before, line) && (kept == "" || !of.MatchString(line) || unfinished.MatchString(line)) {
			left = append(left, "new: "+line)
		}
	}
	for line := range strings.Lines(before) {
		if !strings.Contains(after, line) {
			left = append(left, "gone: "+line)
		}
	}
	return left
}

// holdsNoLinks returns an error if a file in a directory has a second name.
func holdsNoLinks(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil && fi.Sys().(*syscall.Stat_t).Nlink != 1 {
			err = fmt.Errorf("%s has another hard link", path)
		}
		return err
	})
}

// linesWith returns the files, and their lines, that have a text.
func linesWith(glob, text string) (lines []string) {
	files, _ := filepath.Glob(glob)
	for _, file := range files {
		data, _ := os.ReadFile(file) // a process may end meanwhile
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, text) {
				lines = append(lines, file+": "+line)
			}
		}
	}
	return lines
}

// groupsNamed returns the control groups of some names.
func groupsNamed(names []string) (groups []string) {
	if len(names) == 0 {
		return nil
	}
	filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // another's, which ended
			return nil
		}
		for _, name := range names {
			if d != nil && d.IsDir() && d.Name() == name {
				groups = append(groups, path)
			}
		}
		return nil
	})
	return groups
}
