package watch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/internal/probetest"
	"getio/record"
	"getio/system/capability"
	"getio/watch/probe"
)

// watcherEnv has this test's binary watch a process instead of running the tests. A test process of root
// cannot drop its rights completely, so a watcher with fewer rights runs as a separate process.
const watcherEnv = "GETIO_WATCHER"

// watcherConfig is the input of a watcher process.
type watcherConfig struct {
	PID  int
	Dirs []string // of the databases
	Duty float64
	// Countings is how often it begins to count before it ends, 0: until the end of its input.
	Countings int
}

// watcherResult is what a watcher process prints.
type watcherResult struct {
	Threads []threadCapabilities // while it counts
	Record  *record.Watch
	Reads   []probetest.Read // of Gets
}

// threadCapabilities are the capabilities of a thread by the names of /proc/PID/status.
type threadCapabilities map[string]uint64

func capabilitiesOfThreads() (all []threadCapabilities, err error) {
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil {
		return nil, err
	}
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		of := threadCapabilities{}
		for line := range strings.Lines(string(text)) {
			if name, set, ok := strings.Cut(strings.TrimSpace(line), ":\t"); ok && strings.HasPrefix(name, "Cap") {
				if of[name], err = strconv.ParseUint(set, 16, 64); err != nil {
					return nil, err
				}
			}
		}
		all = append(all, of)
	}
	return all, nil
}

// run watches from "counting" on standard output until the end of standard input.
func (c *watcherConfig) run(in io.Reader, out io.Writer) error {
	var saw watcherResult
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w, err := Open(ctx, c.PID, Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	w.observe = func(d *database, r *probe.Read) {
		saw.Reads = append(saw.Reads, probetest.Read{DB: slices.Index(c.Dirs, d.path), Name: r.Name, Offset: r.Offset, Length: int(r.Length), OfGet: true})
	}
	var threadsErr error
	countings := 0
	saw.Record, err = w.Run(ctx, Run{Unprivileged: true, Duty: c.Duty, Counting: func() {
		if countings++; countings == c.Countings {
			stop()
		}
		if countings > 1 {
			return
		}
		saw.Threads, threadsErr = capabilitiesOfThreads()
		fmt.Fprintln(out, "counting")
		go func() {
			io.Copy(io.Discard, in)
			stop()
		}()
	}})
	if err := cmp.Or(err, threadsErr); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(&saw)
}

// Capabilities as the kernel numbers them.
const (
	capDACReadSearch = uintptr(capability.DACReadSearch)
	capSysPtrace     = uintptr(capability.SysPtrace)
	capPerfMon       = uintptr(capability.PerfMon)
	capBPF           = uintptr(capability.BPF)
)

// watcher is a process that watches another.
type watcher struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors bytes.Buffer
}

// startWatcher starts a watcher as a user with no capabilities but these.
func startWatcher(t *testing.T, c watcherConfig, user int, capabilities []uintptr) *watcher {
	t.Helper()
	text, err := json.Marshal(&c)
	require.NoError(t, err)
	w := &watcher{cmd: exec.Command("/proc/self/exe")}
	w.cmd.Env = append(os.Environ(), watcherEnv+"="+string(text))
	w.cmd.Stderr = &w.errors
	w.cmd.SysProcAttr = as(user, capabilities)
	w.in, err = w.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	w.out = bufio.NewReader(out)
	require.NoError(t, w.cmd.Start())
	t.Cleanup(func() {
		w.cmd.Process.Kill()
		w.cmd.Wait()
	})
	return w
}

// Two users without rights, who own nothing but what tests give them.
const (
	ordinary = 54_321 + iota
	another
)

// TestCapabilities watches programs as root and as users with few capabilities: they see every Get and every
// read of a Get, and while they count, all threads have given up what they do not need. docs/geth.md names these
// capabilities.
func TestCapabilities(t *testing.T) {
	requireRoot(t)
	three := []uintptr{capBPF, capPerfMon, capSysPtrace}
	for _, row := range []struct {
		name, library string
		user          int
		capabilities  []uintptr
	}{
		{"goleveldb", "goleveldb", ordinary, three},
		{"pebblev1", "pebblev1", ordinary, three},
		{"pebblev2", "pebblev2", ordinary, three},
		{"another user", "pebblev2", another, append(slices.Clone(three), capDACReadSearch)},
		{"root", "pebblev2", 0, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := probetest.Config{
				Library: row.library, Dirs: directories(t, 1), Keys: 20_000, Gets: gets(t) / 4, Workers: 2, Writes: true, Cache: 256 << 10,
				User: ordinary,
			}
			p := startOwned(t, c)
			w := startWatcher(t, watcherConfig{PID: p.PID, Dirs: c.Dirs}, row.user, row.capabilities)
			line, err := w.out.ReadString('\n')
			if err != nil {
				w.cmd.Wait()
			}
			require.NoError(t, err, w.errors.String())
			require.Equal(t, "counting\n", line)
			p.Go(t)
			all := watched{log: p.Done(t)}
			w.in.Close()
			var saw watcherResult
			require.NoError(t, json.NewDecoder(w.out).Decode(&saw))
			require.NoError(t, w.cmd.Wait())
			had := setOf(row.capabilities...)
			if row.user == 0 {
				had = ^uint64(0)
			}
			requireFew(t, saw.Threads, setOf(capSysPtrace, capDACReadSearch)&had, row.user == 0)
			all.record, all.reads = saw.Record, saw.Reads
			all.requireExact(t, c)
		})
	}
}

// TestCapabilitiesToAttach: to attach again and again takes two more.
func TestCapabilitiesToAttach(t *testing.T) {
	requireRoot(t)
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 1_000, Workers: 1, Cache: 256 << 10, Endless: true, Rate: 1000, User: ordinary}
	p := startOwned(t, c)
	p.Go(t)
	w := startWatcher(t, watcherConfig{PID: p.PID, Dirs: c.Dirs, Duty: 0.5, Countings: 3}, 0, nil)
	line, err := w.out.ReadString('\n')
	require.NoError(t, err, w.errors.String())
	require.Equal(t, "counting\n", line)
	var saw watcherResult
	require.NoError(t, json.NewDecoder(w.out).Decode(&saw), w.errors.String())
	require.NoError(t, w.cmd.Wait())
	requireFew(t, saw.Threads, setOf(capSysPtrace, capDACReadSearch, capBPF, capPerfMon), true)
	assert.GreaterOrEqual(t, len(saw.Record.Databases[0].IOsPerGet.Windows), 2)
}

func setOf(capabilities ...uintptr) (set uint64) {
	for _, c := range capabilities {
		set |= 1 << c
	}
	return set
}

// requireFew requires that each thread has these capabilities. If it had the right to, none of them can have others again,
// and neither can programs that it starts.
func requireFew(t *testing.T, threads []threadCapabilities, set uint64, bounded bool) {
	t.Helper()
	require.Greater(t, len(threads), 1)
	for _, of := range threads {
		assert.Equal(t, set, of["CapEff"], "%x", of)
		assert.Equal(t, set, of["CapPrm"], "%x", of)
		assert.Zero(t, of["CapInh"]&^set, "%x", of)
		assert.Zero(t, of["CapAmb"]&^set, "%x", of)
		if bounded {
			assert.Zero(t, of["CapBnd"]&^(set|setOf(capBPF, capPerfMon)), "%x", of)
		}
	}
}

// TestCapabilityMissing: the error names the missing capabilities and what to do.
func TestCapabilityMissing(t *testing.T) {
	requireRoot(t)
	c := probetest.Config{Library: "pebblev2", Dirs: directories(t, 1), Keys: 1_000, Gets: 1, Workers: 1, Cache: 256 << 10, User: ordinary}
	p := startOwned(t, c)
	const load = "no permission to watch processes: run getio as root on the host, or with the capabilities CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE \\(getio lacks %s\\)\n"
	process := "process " + strconv.Itoa(p.PID)
	for _, row := range []struct {
		name         string
		user         int
		capabilities []uintptr
		want         string
	}{
		{"CAP_BPF", ordinary, []uintptr{capPerfMon, capSysPtrace}, fmt.Sprintf(load, "CAP_BPF")},
		{"CAP_PERFMON", ordinary, []uintptr{capBPF, capSysPtrace}, fmt.Sprintf(load, "CAP_PERFMON")},
		{"all", ordinary, nil, fmt.Sprintf(load, "CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE")},
		{
			"CAP_SYS_PTRACE", another, []uintptr{capBPF, capPerfMon, capDACReadSearch},
			"no permission to look into " + process + ": run getio as root on the host, or with CAP_SYS_PTRACE \\(and CAP_DAC_READ_SEARCH if the process belongs to another user\\)\n",
		},
		{
			"CAP_DAC_READ_SEARCH", another, []uintptr{capBPF, capPerfMon, capSysPtrace},
			// Of a binary without symbols, the memory is looked into before the files.
			"no permission to (look into|see which files) " + process + "( has open)?: run getio as root on the host.*CAP_DAC_READ_SEARCH.*\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := startWatcher(t, watcherConfig{PID: p.PID, Dirs: c.Dirs}, row.user, row.capabilities)
			w.in.Close()
			out, err := io.ReadAll(w.out)
			require.NoError(t, err)
			assert.Empty(t, string(out))
			assert.Error(t, w.cmd.Wait())
			assert.Regexp(t, "^(?:"+row.want+")$", w.errors.String())
		})
	}
}

func requireRoot(t *testing.T) {
	t.Helper()
	probetest.RequireRights(t)
	if os.Getuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	var u unix.Utsname
	require.NoError(t, unix.Uname(&u))
	var major, minor int
	_, err := fmt.Sscanf(unix.ByteSliceToString(u.Release[:]), "%d.%d", &major, &minor)
	require.NoError(t, err)
	if major < 6 || major == 6 && minor < 6 {
		t.Skip("kernels before 6.6 ask for CAP_SYS_ADMIN")
	}
}

// startOwned starts a program of another user.
func startOwned(t *testing.T, c probetest.Config) *probetest.Program {
	t.Helper()
	for _, dir := range c.Dirs {
		require.NoError(t, os.Mkdir(dir, 0o700))
		probetest.GiveTo(t, dir, c.User)
	}
	return probetest.Start(t, "", c)
}
