package benchpebble

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
)

const updateLog = "Threads: 1\n" +
	"Total data: 1000 while needInit=false\n" +
	"Ops: 10 write ops and 0 read ops\n" +
	"Random update: 10 ops in 1.50 ms (6666.67 ops/s)\n"

// TestLogAsPublished writes the published logs from their counts, and that of an update.
func TestLogAsPublished(t *testing.T) {
	var update bytes.Buffer
	l := NewLog(&update)
	l.Start(1, 1000, false, 10, 0)
	l.RandomUpdate(10, 1500*time.Microsecond)
	if l.Err() != nil || update.String() != updateLog {
		t.Errorf("got %q, want %q", update.String(), updateLog)
	}
	for file, write := range map[string]func(l *Log, state string){
		"load_small.log": func(l *Log, state string) {
			l.Start(32, 200_000_000, true, 0, 0)
			l.InitWrite(200_000_000, 153_762*time.Millisecond)
			l.State(state)
		},
		"random_read_small_45MiB.log": func(l *Log, state string) {
			l.Start(64, 200_000_000, false, 0, 10_000_000)
			l.WarmedUp(publishedWarmup())
			l.RandomRead(publishedRun(), 10_000_000, 141_532*time.Millisecond)
			l.State(state)
			l.CacheStatistics(publishedRun())
		},
	} {
		t.Run(file, func(t *testing.T) {
			want := readLog(t, file)
			var got bytes.Buffer
			l := NewLog(&got)
			write(l, stateOf(want))
			require.NoError(t, l.Err())
			assert.Equal(t, want, got.String())
		})
	}
}

func readLog(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/published/" + file)
	require.NoError(t, err)
	return string(b)
}

// stateOf cuts the library's own text out of a log.
func stateOf(log string) string {
	_, state, _ := strings.Cut(log, "DB State \n")
	state, _, _ = strings.Cut(state, "\nCache Statistics:")
	return state
}

// TestLogIdentities checks the identities of the published log on it and on a log of
// ours, read with the same expressions.
func TestLogIdentities(t *testing.T) {
	for name, log := range map[string]string{
		"published":  readLog(t, "random_read_small_45MiB.log"),
		"ours":       readLogOf(t, publishedWarmup(), publishedRun(), 10_000_000),
		"synthetic":  readLogOf(t, syntheticWarmup(), syntheticRun(), 1_000),
		"no warm-up": readLogOf(t, engine.Counts{}, syntheticRun(), 1_000),
		"reopening":  readLogOf(t, syntheticWarmup(), reopeningRun(), 1_000),
	} {
		t.Run(name, func(t *testing.T) { parseReadLog(t, log).check(t) })
	}
}

func syntheticWarmup() engine.Counts {
	return benchCounts([4]int64{100, 120, 40, 45}, [4]int64{10, 20, 30, 40}, 7, 60)
}

func syntheticRun() engine.Counts {
	return benchCounts([4]int64{5_100, 7_120, 1_040, 1_145}, [4]int64{11, 23, 540, 1_041}, 7, 4_020)
}

// reopeningRun opens tables again whose metaindexes the cache still has, and reads blocks
// of no component.
func reopeningRun() engine.Counts {
	c := benchCounts([4]int64{5_100, 7_120, 1_040, 1_145}, [4]int64{11, 23, 540, 1_041}, 90, 4_020)
	c.Reads.Count[readpath.TableOpen] -= 50
	c.Reads.Count[readpath.Other] += 5
	c.BlockCacheMisses += 5 - 50
	c.BlockCacheHits += 50 - 5
	return c
}

func readLogOf(t *testing.T, warm, run engine.Counts, gets int64) string {
	t.Helper()
	var out bytes.Buffer
	l := NewLog(&out)
	l.Start(1, 100, false, 0, gets)
	l.WarmedUp(warm)
	l.RandomRead(run, gets, time.Second)
	l.State("text")
	l.CacheStatistics(run)
	require.NoError(t, l.Err())
	return out.String()
}

var (
	callerLine = regexp.MustCompile(`(?m)^github\.com/cockroachdb/pebble/sstable\.\(\*\w+\)\.(\w+)\t(\d+)\t(\d+)\t(\d+)\t(\d\.\d\d)$`)
	tableTitle = regexp.MustCompile(`(?m)^Cache Statistics:\n-{56}\nCaller\t\tHits\tMisses\tCalls\tHitRate$`)
	warmUpLine = regexp.MustCompile(`(?m)^========= Warn up done ===============$`)
	readLine   = regexp.MustCompile(`(?m)^Random read: (\d+) ops in (\d+\.\d\d) ms \((\d+\.\d\d) ops/s\)$`)
	ioLine     = regexp.MustCompile(`(?m)^Avg I/O per Get ≈ (\d+\.\d{4})$`)
	countLine  = regexp.MustCompile(`(?m)^(Filter|BlockCache|TableCache): Hit Count (\d+); Miss Count: (\d+)$`)
	startLines = regexp.MustCompile(`(?m)^Threads: (\d+)\nTotal data: (\d+) while needInit=(true|false)\nOps: (\d+) write ops and (\d+) read ops$`)
)

// readLogFigures are the figures of a log of reading.
type readLogFigures struct {
	calls, misses map[string]int64 // by caller, after the warm-up
	counts        map[string][2]int64
	gets, avgIO   string
}

func parseReadLog(t *testing.T, log string) readLogFigures {
	t.Helper()
	f := readLogFigures{calls: map[string]int64{}, misses: map[string]int64{}, counts: map[string][2]int64{}}
	if !startLines.MatchString(log) || !warmUpLine.MatchString(log) || len(tableTitle.FindAllString(log, -1)) != 2 {
		t.Fatalf("the log lacks its first lines, the end of the warm-up or a table:\n%s", log)
	}
	rows := callerLine.FindAllStringSubmatch(log, -1)
	require.Len(t, rows, 10)
	for i, row := range rows {
		sign := int64(-1) // the first table is the warm-up
		if i >= 5 {
			sign = 1
		}
		hits, misses, calls := number(t, row[2]), number(t, row[3]), number(t, row[4])
		if hits+misses != calls {
			t.Errorf("%s: %d hits and %d misses of %d calls", row[1], hits, misses, calls)
		}
		f.calls[row[1]] += sign * calls
		f.misses[row[1]] += sign * misses
	}
	for _, m := range countLine.FindAllStringSubmatch(log, -1) {
		f.counts[m[1]] = [2]int64{number(t, m[2]), number(t, m[3])}
	}
	f.gets = readLine.FindStringSubmatch(log)[1]
	f.avgIO = ioLine.FindStringSubmatch(log)[1]
	return f
}

func (f readLogFigures) check(t *testing.T) {
	t.Helper()
	var calls, misses int64
	for name := range f.calls {
		calls += f.calls[name]
		misses += f.misses[name]
	}
	sum := func(name string) int64 { return f.counts[name][0] + f.counts[name][1] }
	equal := func(what string, got, want int64) {
		t.Helper()
		assert.Equal(t, want, got, what)
	}
	equal("sum of calls, BlockCache Hit+Miss", calls, sum("BlockCache"))
	equal("sum of misses, BlockCache Miss", misses, f.counts["BlockCache"][1])
	equal("readFilter, Filter Hit+Miss", f.calls["readFilter"], sum("Filter"))
	equal("readIndex, TableCache Hit+Miss", f.calls["readIndex"], sum("TableCache"))
	equal("readMetaindex, 2 per TableCache Miss", f.calls["readMetaindex"], 2*f.counts["TableCache"][1])
	ios := float64(f.counts["BlockCache"][1]+f.counts["TableCache"][1]) / float64(number(t, f.gets))
	assert.Equal(t, f.avgIO, strconv.FormatFloat(ios, 'f', 4, 64))
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(t, err)
	return n
}

// failingWriter fails from the given call on.
type failingWriter struct{ calls int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.calls--; w.calls < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestLogKeepsTheFirstError(t *testing.T) {
	l := NewLog(&failingWriter{calls: 1})
	l.Start(1, 1, true, 0, 0)
	l.State("text")
	if !errors.Is(l.Err(), errFull) {
		t.Errorf("error %v, want %v", l.Err(), errFull)
	}
}

// publishedWarmup and publishedRun are the counts of the published run at 45 MiB since
// the opening, at the end of the warm-up and of the run.
func publishedWarmup() engine.Counts {
	return benchCounts(
		[4]int64{347_718, 435_015, 103_665, 103_734}, [4]int64{713, 2_136, 95_356, 102_518}, 1_418, 331_064)
}

func publishedRun() engine.Counts {
	return benchCounts(
		[4]int64{35_111_655, 43_916_252, 10_476_554, 10_484_676}, [4]int64{4_355, 14_809, 9_520_066, 10_354_100}, 1_418, 33_432_796)
}

// benchCounts completes the counts of filter, top index, index and data consistently, as
// an engine does.
func benchCounts(accesses, misses [4]int64, opens, negatives int64) engine.Counts {
	var c engine.Counts
	for i, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		c.Accesses.Count[component] = accesses[i]
		c.Reads.Count[component] = misses[i]
	}
	c.Accesses.Count[readpath.TableOpen] = 3 * opens
	c.Reads.Count[readpath.TableOpen] = 3 * opens
	c.Reads.Footers = opens
	c.TableCacheMisses = opens
	c.TableCacheHits = accesses[1] - opens
	c.FilterNegatives, c.FilterPositives = negatives, accesses[0]-negatives
	c.BlockCacheMisses = c.Reads.Count.Sum() - opens
	c.BlockCacheHits = c.Accesses.Count.Sum() - opens - c.BlockCacheMisses
	return c
}
