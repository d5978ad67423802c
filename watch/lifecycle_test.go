package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/record"
)

// endless starts a program that makes Gets until the test ends.
func endless(t *testing.T) *probetest.Program {
	t.Helper()
	return endlessWith(t, 2, 10_000) // reads must not come faster than this machine can take them
}

// endlessWith starts a program whose workers make so many Gets per second in all, in bursts.
func endlessWith(t *testing.T, workers, rate int) *probetest.Program {
	t.Helper()
	probetest.RequireRights(t)
	p := probetest.Start(t, "", probetest.Config{
		Library: "pebblev1", Dirs: directories(t, 1), Keys: 5_000, Workers: workers, Cache: 64 << 10, Endless: true, Rate: rate,
	})
	p.Go(t)
	return p
}

// loaded are the programs and maps that this process has in the kernel.
func loaded(t *testing.T) (programs []ebpf.ProgramID, maps []ebpf.MapID) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fdinfo/*")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), "link_id") {
			continue // closed meanwhile, or only names a program
		}
		for line := range strings.Lines(string(text)) {
			kind, number, _ := strings.Cut(strings.TrimSpace(line), ":\t")
			id, err := strconv.ParseUint(number, 10, 32)
			switch {
			case err != nil:
			case kind == "prog_id":
				programs = append(programs, ebpf.ProgramID(id))
			case kind == "map_id":
				maps = append(maps, ebpf.MapID(id))
			}
		}
	}
	return programs, maps
}

// requireGone waits until the kernel has freed programs and maps, which it does soon after they are
// closed.
func requireGone(t *testing.T, programs []ebpf.ProgramID, maps []ebpf.MapID) {
	t.Helper()
	assert.Eventually(t, func() bool {
		for _, id := range programs {
			if p, err := ebpf.NewProgramFromID(id); err == nil {
				p.Close()
				return false
			}
		}
		for _, id := range maps {
			if m, err := ebpf.NewMapFromID(id); err == nil {
				m.Close()
				return false
			}
		}
		return true
	}, time.Minute, 10*time.Millisecond)
}

// TestNothingIsLeft attaches and detaches under load: the program goes on, and the kernel keeps
// nothing of it.
func TestNothingIsLeft(t *testing.T) {
	p := endless(t)
	for range 5 {
		w, err := Open(t.Context(), p.PID, Options{})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		r, err := w.Run(ctx, Run{Counting: stop})
		require.NoError(t, err)
		assert.True(t, r.Complete)
		programs, maps := loaded(t)
		assert.GreaterOrEqual(t, len(programs), 4) // of two Pebbles and goleveldb, and of system calls
		assert.GreaterOrEqual(t, len(maps), 6)
		require.NoError(t, w.Close())
		requireGone(t, programs, maps)
		before, _ := p.Spent(t)
		assert.Eventually(t, func() bool { now, _ := p.Spent(t); return now > before }, time.Minute, time.Millisecond)
	}
}

// TestProcessEnds: the watching ends with the process, and with what was counted.
func TestProcessEnds(t *testing.T) {
	const gets, workers = 1000, 2
	p := endless(t)
	w, err := Open(t.Context(), p.PID, Options{})
	require.NoError(t, err)
	defer w.Close()
	r, err := w.Run(t.Context(), Run{Counting: func() {
		before, _ := p.Spent(t)
		// Each worker may have made almost a burst before the counting.
		for now := before; now < before+gets+workers*probetest.Burst; now, _ = p.Spent(t) {
		}
		p.Kill(t)
	}})
	require.NoError(t, err)
	assert.True(t, r.Process.Ended)
	require.Len(t, r.Databases, 1)
	assert.GreaterOrEqual(t, r.Databases[0].Gets, int64(gets))
}

// TestDuty: with windows, only what was made within them is counted, each Get with all its reads.
func TestDuty(t *testing.T) {
	p := endless(t)
	w, err := Open(t.Context(), p.PID, Options{ByCaller: true})
	require.NoError(t, err)
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	windows := 0
	r, err := w.Run(ctx, Run{Duty: 0.9, Counting: func() {
		if windows++; windows == 3 {
			stop()
		}
	}})
	require.NoError(t, err)
	assert.True(t, r.Complete)
	assert.Positive(t, r.Duty)
	assert.LessOrEqual(t, r.Duty, 0.9)
	assert.GreaterOrEqual(t, r.Seconds, 2.0)
	d := r.Databases[0]
	assert.Equal(t, d.Gets, d.Distribution.Gets())
	assert.Equal(t, d.Reads.Count, d.Distribution.Reads())
	var reads, gets int64
	for _, c := range d.Callers {
		reads += c.Count
	}
	for _, window := range d.IOsPerGet.Windows {
		gets += window.Gets
	}
	assert.Equal(t, d.Reads.Count, reads)
	assert.Equal(t, d.Gets, gets)
	assert.Contains(t, d.Callers[0].Method, "probetest.(*group).do")
}

// TestExec: the watching ends when the process runs another program, be it the same one, with all that was counted until then.
func TestExec(t *testing.T) {
	for _, duty := range []float64{1, 0.02} { // counting, and in a pause
		p := endless(t)
		w, err := Open(t.Context(), p.PID, Options{})
		require.NoError(t, err)
		defer w.Close()
		counted := make(chan struct{})
		var once sync.Once
		ended := make(chan *record.Watch, 1)
		go func() {
			r, err := w.Run(t.Context(), Run{Duty: duty, Show: func(*record.Watch) { once.Do(func() { close(counted) }) }})
			assert.NoError(t, err)
			ended <- r
		}()
		<-counted
		p.Exec(t)
		p.Go(t)
		r := <-ended
		require.NotNil(t, r)
		assert.True(t, r.Process.Replaced)
		assert.False(t, r.Process.Ended)
		assert.True(t, r.Complete)
		assert.True(t, r.Checks.Hold(), r.Checks)
		assert.Zero(t, r.Losses.UnbegunReads)
		assert.Equal(t, duty < 1, r.Device != nil, "while counting, its account goes on with the other program")
		assert.Positive(t, r.Databases[0].Gets)
		assert.Equal(t, r.Databases[0].Reads.Count, r.Databases[0].Distribution.Reads())
	}
}

// TestEndsInPause: a process that ends between two windows is noticed, and what was counted stays.
func TestEndsInPause(t *testing.T) {
	p := endless(t)
	w, err := Open(t.Context(), p.PID, Options{})
	require.NoError(t, err)
	defer w.Close()
	r, err := w.Run(t.Context(), Run{Duty: 0.001, Show: func(*record.Watch) { p.Kill(t) }})
	require.NoError(t, err)
	assert.True(t, r.Process.Ended)
	assert.Positive(t, r.Databases[0].Gets)
}

// TestEndsBeforeRun: there is nothing to report of a process that ended before the counting.
func TestEndsBeforeRun(t *testing.T) {
	p := endless(t)
	w, err := Open(t.Context(), p.PID, Options{})
	require.NoError(t, err)
	defer w.Close()
	p.Kill(t)
	_, err = w.Run(t.Context(), Run{})
	assert.ErrorContains(t, err, "ended before anything was counted")
}

// TestWindows: when there are too many, windows become longer, and what was counted is still shown
// once a second.
func TestWindows(t *testing.T) {
	was := mostWindows
	mostWindows = 2
	defer func() { mostWindows = was }()
	p := endless(t)
	w, err := Open(t.Context(), p.PID, Options{})
	require.NoError(t, err)
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	shown := 0
	r, err := w.Run(ctx, Run{Show: func(*record.Watch) {
		if shown++; shown == 7 {
			stop()
		}
	}})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, float64(shown), r.Seconds-2, "shown in %v seconds", r.Seconds)
	io := r.Databases[0].IOsPerGet
	assert.GreaterOrEqual(t, io.WindowSeconds, 4.0)
	assert.GreaterOrEqual(t, float64(len(io.Windows))*io.WindowSeconds, r.Seconds)
	assert.Less(t, float64(len(io.Windows)-1)*io.WindowSeconds, r.Seconds)
	var gets int64
	for _, window := range io.Windows {
		gets += window.Gets
	}
	assert.Equal(t, r.Databases[0].Gets, gets)
}

// TestLateReads: a goroutine may make no Get for a while after the counting has stopped, and then
// many while the programs are detached. Their reads are not those of its last counted Get.
func TestLateReads(t *testing.T) {
	p := endlessWith(t, 20, 5_000)
	w, err := Open(t.Context(), p.PID, Options{})
	require.NoError(t, err)
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	windows := 0
	r, err := w.Run(ctx, Run{Duty: 0.5, Counting: func() {
		if windows++; windows == 4 {
			stop()
		}
	}})
	require.NoError(t, err)
	d := r.Databases[0]
	require.Positive(t, d.Gets)
	// One table of one level has a filter, an index and a data block; there are at most three.
	assert.LessOrEqual(t, d.Distribution.Max, 9, "reads of one Get")
}
