package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/internal/filecalls"
)

func init() { programs[executorName] = executeObserved }

// executorName is the program that runs others under filecalls.Run.
const executorName = "observed"

func executeObserved() {
	fmt.Fprintln(os.Stderr, filecalls.Exec(os.Args[1:]))
	os.Exit(1)
}

// 'make faults' makes calls of all commands fail. Which file the n-th read of a command is of depends on
// its threads, so that the same number is another fault in each run: 'make test' leaves them out.
var (
	callFaults = flag.Int("call-faults", -1, "calls that TestCallFaults makes fail; 0: each; -1: none")
	callStep   = flag.Int("call-step", 1, "of each so many calls, one fails")
	callNames  = flag.String("call-names", "", "make only calls of commands fail whose name matches this regular expression")
)

// callsPerCommand is how many calls of a command fail if not each does.
const callsPerCommand = 4

// maxCall limits which calls of a command fail: each kind's first ones.
const maxCall = 1000

// callCase is a command whose calls fail.
type callCase struct {
	name    string
	command []string // DIR stands for the directory
	// prepare makes what the command needs in an empty directory. It returns the directory for DIR, and the one
	// below which calls fail.
	prepare func(empty string) (dir, below string, err error)
	// judge returns the outcome of a run.
	judge func(r *observed) (verdict, string)
	calls map[filecalls.Kind]int // that the command makes undisturbed; set by count
}

// observed is a run of a command.
type observed struct {
	dir, below  string
	path        string // of the call that failed; empty if there was none
	failure     callFailure
	out, errOut string
	err         error
}

// callFailure is how a call fails.
type callFailure struct {
	name   string
	answer func(*filecalls.Call) filecalls.Answer
}

func fails(e unix.Errno) callFailure {
	return callFailure{unix.ErrnoName(e), func(*filecalls.Call) filecalls.Answer { return filecalls.Answer{Error: e} }}
}

var (
	endsEarly = callFailure{"end of file", func(*filecalls.Call) filecalls.Answer { return filecalls.Answer{Done: true} }}
	isLate    = callFailure{"late", func(*filecalls.Call) filecalls.Answer {
		time.Sleep(50 * time.Millisecond)
		return filecalls.Answer{}
	}}
	isShort = callFailure{"short", func(c *filecalls.Call) filecalls.Answer {
		return otherRead(c, func(data []byte) []byte { return data[:(len(data)+1)/2] })
	}}
	isFlipped = callFailure{"flipped bit", func(c *filecalls.Call) filecalls.Answer {
		return otherRead(c, func(data []byte) []byte {
			if n := len(data); n > 0 {
				data[n/2] ^= 1 << (n % 8)
			}
			return data
		})
	}}
)

// otherRead reads other data than the kernel. It lets calls pass that would move the file's offset.
func otherRead(c *filecalls.Call, change func([]byte) []byte) filecalls.Answer {
	if c.Number != unix.SYS_PREAD64 {
		return filecalls.Answer{}
	}
	f, err := c.Reopen()
	if err != nil {
		return filecalls.Answer{Error: unix.EIO}
	}
	defer f.Close()
	data := make([]byte, c.Arg(2))
	n, _ := f.ReadAt(data, c.Arg(3))
	data = change(data[:n])
	if c.SetData(data) != nil {
		return filecalls.Answer{Error: unix.EFAULT}
	}
	return filecalls.Answer{Done: true, Result: int64(len(data))}
}

// callFailures lists the failures of each kind of call. Starting to write back promises nothing, and fails in none.
var callFailures = map[filecalls.Kind][]callFailure{
	filecalls.Open:     {fails(unix.EIO), fails(unix.EMFILE), fails(unix.EACCES)},
	filecalls.Create:   {fails(unix.ENOSPC), fails(unix.EIO)},
	filecalls.Read:     {fails(unix.EIO), isFlipped, isShort, endsEarly, fails(unix.EINTR), isLate},
	filecalls.Write:    {fails(unix.ENOSPC), fails(unix.EIO), fails(unix.EINTR), isLate},
	filecalls.Sync:     {fails(unix.EIO), fails(unix.ENOSPC)},
	filecalls.SyncAll:  {fails(unix.EIO), fails(unix.ENOSPC)},
	filecalls.Truncate: {fails(unix.EIO), fails(unix.ENOSPC)},
	filecalls.Allocate: {fails(unix.ENOSPC), fails(unix.EOPNOTSUPP), fails(unix.EIO)},
	filecalls.Rename:   {fails(unix.EIO), fails(unix.ENOSPC)},
	filecalls.Link:     {fails(unix.EIO), fails(unix.EMLINK)},
	filecalls.MakeDir:  {fails(unix.ENOSPC), fails(unix.EIO)},
	filecalls.Remove:   {fails(unix.EIO)},
	filecalls.Stat:     {fails(unix.EIO)},
	filecalls.List:     {fails(unix.EIO)},
}

// callFault is a call that fails.
type callFault struct {
	*callCase
	kind    filecalls.Kind
	number  int            // of the calls of its kind, from 1
	on      *regexp.Regexp // if set, only calls count whose path matches
	failure callFailure
}

func (f *callFault) String() string {
	return fmt.Sprintf("%s: %s %d fails (%s) in getio %s", f.name, f.kind, f.number, f.failure.name, strings.Join(f.command, " "))
}

// TestCallFaults requires that a system call that fails, returns less or is late leads to the right figures or
// to an error of one sentence, that nothing unfinished passes for complete, and that what was interrupted can
// be made again.
func TestCallFaults(t *testing.T) {
	if *callFaults < 0 {
		t.Skip("make faults runs it: -call-faults")
	}
	t.Parallel()
	named := regexp.MustCompile(*callNames)
	cases := slices.DeleteFunc(slices.Clone(callCases(t)), func(c *callCase) bool { return !named.MatchString(c.name) })
	require.NotEmpty(t, cases, "no command has such a name")
	faults := drawCallFaults(t, cases)
	t.Logf("%d calls fail, of seed %d", len(faults), *faultSeed)
	var tally outcomes[verdict]
	var next, missed atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		dir := t.TempDir()
		workers.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= len(faults) || t.Context().Err() != nil {
					return
				}
				f := faults[n]
				r, err := f.run(filepath.Join(dir, fmt.Sprint(n)), f)
				if !assert.NoError(t, err, "%s", f) {
					return
				}
				if r.path == "" { // a run makes a few calls more or fewer than another
					missed.Add(1)
					continue
				}
				v, detail := f.judge(r)
				tally.add(fmt.Sprintf("%s\t%s", f.name, f.kind), v)
				assert.False(t, v.bad(), "%s: %s, of %s\n%s\n%s", v, f, r.path, detail, r.out+r.errOut)
			}
		})
	}
	workers.Wait()
	t.Logf("%d calls were not made:\n%s", missed.Load(), tally.table("command\tcall", verdicts))
}

// drawCallFaults returns each call of each case with one of its failures, or some of those of a few cases.
func drawCallFaults(t *testing.T, cases []*callCase) (faults []*callFault) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*faultSeed, 0))
	in := t.TempDir()
	draw := func(c *callCase, kind filecalls.Kind, number int) {
		of := callFailures[kind]
		faults = append(faults, &callFault{callCase: c, kind: kind, number: number, failure: of[rng.IntN(len(of))]})
	}
	if *callFaults > 0 {
		for _, i := range rng.Perm(len(cases))[:min(len(cases), *callFaults/callsPerCommand)] {
			c := cases[i]
			c.count(t, filepath.Join(in, fmt.Sprint(i)))
			for range callsPerCommand {
				kinds := c.kinds()
				kind := kinds[rng.IntN(len(kinds))]
				draw(c, kind, 1+rng.IntN(c.calls[kind]))
			}
		}
		return faults
	}
	for i, c := range cases {
		c.count(t, filepath.Join(in, fmt.Sprint(i)))
		for _, kind := range c.kinds() {
			for n := int(*faultSeed) % *callStep; n < c.calls[kind]; n += *callStep {
				draw(c, kind, n+1)
			}
		}
	}
	rng.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	return faults
}

// kinds lists the kinds of calls that the case makes.
func (c *callCase) kinds() (kinds []filecalls.Kind) {
	for _, kind := range filecalls.Kinds() {
		if c.calls[kind] > 0 && len(callFailures[kind]) > 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// count runs the command undisturbed and counts its calls.
func (c *callCase) count(t *testing.T, dir string) {
	t.Helper()
	r, err := c.run(dir, nil)
	require.NoError(t, err)
	require.NoError(t, r.err, "%s: %s", c.name, r.errOut)
	v, detail := c.judge(r)
	require.Equal(t, unharmed, v, "%s: %s", c.name, detail)
	for kind, n := range c.calls {
		c.calls[kind] = min(n, maxCall)
	}
	require.NotEmpty(t, c.calls, c.name)
}

// run runs the command in an empty directory, which it does not remove. Without a fault, it counts calls.
func (c *callCase) run(empty string, f *callFault) (*observed, error) {
	r := &observed{}
	var err error
	if r.dir, r.below, err = c.prepare(empty); err != nil {
		return nil, err
	}
	executor, err := exec.LookPath(executorName)
	if err != nil {
		return nil, err
	}
	if f == nil {
		c.calls = map[filecalls.Kind]int{}
	} else {
		r.failure = f.failure
	}
	var seen int
	answer := func(call *filecalls.Call) filecalls.Answer {
		if !strings.HasPrefix(call.Path, r.below) && !strings.HasPrefix(call.To, r.below) {
			return filecalls.Answer{}
		}
		if f == nil {
			c.calls[call.Kind]++
			return filecalls.Answer{}
		}
		if call.Kind != f.kind || f.on != nil && !f.on.MatchString(call.Path) {
			return filecalls.Answer{}
		}
		if seen++; seen != f.number {
			return filecalls.Answer{}
		}
		r.path = call.Path
		return f.failure.answer(call)
	}
	kinds := filecalls.Kinds()
	if f != nil {
		kinds = []filecalls.Kind{f.kind}
		if f.kind == filecalls.Create {
			kinds = append(kinds, filecalls.Open)
		}
	}
	r.out, r.errOut, r.err = runWith(r.dir, c.command, func(cmd *exec.Cmd) error { return filecalls.Run(executor, cmd, kinds, answer) })
	return r, nil
}

// ended judges how a command ended, and is unharmed if it succeeded.
func (r *observed) ended() (verdict, string) {
	var exit *exec.ExitError
	switch {
	case errors.Is(r.err, context.DeadlineExceeded):
		return hung, ""
	case r.err == nil:
		return unharmed, ""
	case !errors.As(r.err, &exit), exit.ExitCode() < 0, goTrace(r.errOut):
		return crashed, r.err.Error()
	case exit.ExitCode() == exitChecksFailed:
		return flagged, ""
	case r.out != "":
		return untidy, "it printed a result"
	}
	if err := checkSentence("", warning.ReplaceAllString(r.errOut, "")); err != nil {
		return untidy, err.Error()
	}
	return refused, ""
}
