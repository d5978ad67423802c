// Package probetest runs programs that keep their own log of what they look up and read, against
// which tests hold what is seen from outside.
package probetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"
)

// Config is what a program does.
type Config struct {
	Library string   // a name of Libraries
	Dirs    []string // of its databases, which are made first
	Keys    int      // in each
	Gets    int      // in all
	Workers int
	// Writes and Iterators run beside the Gets. Writes make flushes and compactions.
	Writes    bool
	Iterators int
	// Fresh makes each Get in a goroutine of its own, Deep at the bottom of a stack that grows.
	Fresh, Deep bool
	// Nested makes each Get in a goroutine of its own, below so many calls.
	Nested int
	// Recreated deletes the databases after the Gets, makes them anew with longer values, and makes the Gets once more.
	Recreated bool
	// Chroot is a directory that the program takes for its root; Dirs are below it.
	Chroot string
	// Mount runs the program in PID and mount namespaces of its own, in which this directory lies at MountAt.
	Mount, MountAt string
	// Settled begins when nothing uses the block cache any more.
	Settled bool
	// Contained runs the program in a PID namespace and a user namespace of its own, as containers do.
	Contained bool
	// User runs the program as this user, who must be able to write to the directories; 0 is the
	// test's own.
	User int
	// NoteKeys puts the keys of all Gets into the log.
	NoteKeys bool
	Cache    int64
	Log      string // file
	// Endless makes Gets of existing keys until the test ends and keeps no log. ReadLatency is added
	// to each read: the thread waits for it, or with Polled takes as much processor time, as if it
	// polled a device. Rate is how many Gets are made per second; 0 are as many as can be.
	Endless     bool
	ReadLatency time.Duration
	Polled      bool
	Rate        int
	// Cold begins with no file of the first database in the page cache. Beside the Gets, two goroutines,
	// of ScanForward and of ScanRanges, scan it, and files of a freezer and a log are read.
	Cold bool
	// Direct reads tables with O_DIRECT, in whole pages.
	Direct bool
}

// Log is what a program did.
type Log struct {
	Gets  []int64 // by database
	Found int64
	// Kinds are the Gets by the first byte of the key.
	Kinds map[byte]int64
	Reads []Read
	Keys  [][][]byte // of the Gets, by database, in the order in which they ended
	// CacheAccesses is how often blocks were looked up in the cache of the first database, as the
	// library says: by Gets, and in Pebble by all others too.
	CacheAccesses int64
	// DeviceBytes is what the process has read from devices, as the kernel says. The others are of Cold.
	DeviceBytes int64
	Scans       int64             // iterators
	Files       map[string]Volume // by ending
}

// Volume is reads of a file.
type Volume struct{ Reads, Bytes int64 }

// Read is a read of a table as its program saw it.
type Read struct {
	DB     int
	Name   string
	Offset int64
	Length int
	OfGet  bool
	// Scan is the function that scanned, if one did.
	Scan string
	// Again: all its pages had been read before by others.
	Again bool
}

const configEnv = "GETIO_PROBE_TARGET"

// Main runs the program instead of the tests if this process was started as one.
func Main(m *testing.M) {
	text := os.Getenv(configEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	Become(text, Config.run)
}

// Become makes this process another program: it decodes the program's configuration, runs it and ends.
func Become[C any](text string, run func(configuration C, in io.Reader, out io.Writer) error) {
	var c C
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = run(c, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Program is a running program.
type Program struct {
	PID    int
	config Config
	in     io.WriteCloser
	out    *bufio.Reader
	cmd    *exec.Cmd
}

// Start starts a program: this test's own binary, or another that calls Main. It returns when the
// databases are made and open.
func Start(t testing.TB, binary string, c Config) *Program {
	t.Helper()
	if binary == "" {
		binary = "/proc/self/exe"
	}
	c.Log = filepath.Join(t.TempDir(), "log.json")
	text, err := json.Marshal(c)
	require.NoError(t, err)
	p := &Program{config: c, cmd: exec.Command(binary)}
	p.cmd.Env = append(os.Environ(), configEnv+"="+string(text))
	p.cmd.Stderr = os.Stderr
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReader(out)
	if c.Contained {
		p.cmd.SysProcAttr = contained(t)
	}
	if c.User != 0 {
		require.False(t, c.Contained, "a contained program has a user of its namespace")
		GiveTo(t, filepath.Dir(c.Log), c.User)
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(c.User), Gid: uint32(c.User)}}
	}
	if c.Mount != "" {
		p.cmd.Path, err = exec.LookPath("sh")
		require.NoError(t, err)
		self, err := os.Executable()
		require.NoError(t, err)
		p.cmd.Args = []string{"sh", "-c", `mount --make-rprivate / && mount --bind "$1" "$2" && exec "$3"`, "sh", c.Mount, c.MountAt, self}
		p.cmd.SysProcAttr = withMounts(t)
	}
	err = p.cmd.Start()
	if c.Contained && errors.Is(err, syscall.EPERM) {
		t.Skip("no right to make namespaces")
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		p.in.Close()
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	p.PID = p.cmd.Process.Pid
	p.await(t, "ready")
	return p
}

// GiveTo makes a user the owner of a test's directory, and lets the user pass through the directories
// above it. It skips the test if that would change directories outside the temporary ones.
func GiveTo(t testing.TB, dir string, user int) {
	t.Helper()
	require.NoError(t, os.Chown(dir, user, user))
	const pass = 0o001 // for others
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		fi, err := os.Stat(above)
		require.NoError(t, err)
		if fi.Mode()&pass == 0 {
			if within, err := filepath.Rel(os.TempDir(), above); err != nil || within == "." || !filepath.IsLocal(within) {
				t.Skipf("another user cannot go to %s", above)
			}
			require.NoError(t, os.Chmod(above, fi.Mode()|pass))
		}
		if above == filepath.Dir(above) {
			return
		}
	}
}

func (p *Program) await(t testing.TB, word string) {
	t.Helper()
	line, err := p.out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, word+"\n", line)
}

// Go lets the program begin.
func (p *Program) Go(t testing.TB) {
	t.Helper()
	_, err := io.WriteString(p.in, "go\n")
	require.NoError(t, err)
}

// Done waits until the program has closed its databases, and returns its log. The process goes on
// until the test ends.
func (p *Program) Done(t testing.TB) *Log {
	t.Helper()
	p.await(t, "done")
	text, err := os.ReadFile(p.config.Log)
	require.NoError(t, err)
	var l Log
	require.NoError(t, json.Unmarshal(text, &l))
	return &l
}

// Spent returns how many Gets an endless program has made in finished bursts, and its processor time.
func (p *Program) Spent(t testing.TB) (gets int64, cpu time.Duration) {
	t.Helper()
	_, err := io.WriteString(p.in, "spent\n")
	require.NoError(t, err)
	line, err := p.out.ReadString('\n')
	require.NoError(t, err)
	_, err = fmt.Sscan(line, &gets, (*int64)(&cpu))
	require.NoError(t, err)
	return gets, cpu
}

// Exec has an endless program run itself anew, and returns when it has.
func (p *Program) Exec(t testing.TB) {
	t.Helper()
	_, err := io.WriteString(p.in, "exec\n")
	require.NoError(t, err)
	p.await(t, "ready")
}

// Kill ends the process.
func (p *Program) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
}

// RequireRights skips a test where processes cannot be watched.
func RequireRights(t testing.TB) {
	t.Helper()
	if err := Rights(); err != nil {
		t.Skip(err)
	}
}

// Rights says why processes cannot be watched here; nil if they can.
func Rights() error {
	if runtime.GOARCH != "amd64" {
		return errors.New("processes can be watched on amd64 only")
	}
	if _, err := os.Stat("/sys/kernel/btf/vmlinux"); err != nil {
		return fmt.Errorf("the kernel has no type information: %w", err)
	}
	m, err := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.RingBuf, MaxEntries: uint32(os.Getpagesize())})
	if err != nil {
		return fmt.Errorf("no right to load programs into the kernel: %w", err)
	}
	return m.Close()
}
