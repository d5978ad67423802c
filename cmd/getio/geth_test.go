package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/engines"
	"getio/internal/probetest"
	"getio/measure/database"
	"getio/record"
)

// GETIO_GETH=FILE names a geth 1.17, which these tests start and watch (results/watch.md).
const gethEnv = "GETIO_GETH"

// TestGeth compares what watch, measure, curve and advise say of a geth with what geth counts and then does. Each kind is a
// subtest with another geth, and can be run by itself.
func TestGeth(t *testing.T) {
	if os.Getenv(gethEnv) == "" {
		t.Skipf("%s=FILE names a geth to watch: it takes a quarter of an hour", gethEnv)
	}
	probetest.RequireRights(t)
	c := buildGethChain(t, "200k")
	for _, kind := range []struct {
		name string
		test func(*testing.T, *gethChain)
	}{
		{"counts", gethCounts},
		{"categories", gethCategories},
		{"started", gethStarted},
		{"written", gethWritten},
		{"sampled", gethSampled},
		{"frozen", gethFrozen},
		{"contained", gethContained},
		{"advice", gethAdvice},
		{"detached", gethDetached},
	} {
		t.Run(kind.name, func(t *testing.T) { kind.test(t, c) })
	}
}

// gethChain is a chain that geths are started on, each with a copy.
type gethChain struct {
	dir     string
	targets *gethTargets
}

func buildGethChain(t *testing.T, accounts string) *gethChain {
	t.Helper()
	c := &gethChain{dir: filepath.Join(t.TempDir(), "node")}
	genesis := filepath.Join(t.TempDir(), "genesis.json")
	text := fmt.Sprintf(`{"config":{"chainId":1},"difficulty":"0x0","gasLimit":"0x1c9c380","alloc":{"%s":{"balance":"0x1%060d"}}}`,
		crypto.PubkeyToAddress(gethUser.PublicKey), 0)
	require.NoError(t, os.WriteFile(genesis, []byte(text), 0o600))
	began := time.Now()
	require.NoError(t, getio("chain", "build", filepath.Join(c.dir, "geth"), "--accounts", accounts, "--flat", "--genesis", genesis))
	t.Logf("the chain was built in %v", time.Since(began).Round(time.Second))
	// A node has run before, and left its marker of a shutdown in the log.
	g := startGeth(t, c.dir, "--cache", gethLeastCache, withoutLogIndex)
	c.targets = g.targets(t)
	require.NotEmpty(t, c.targets.contracts)
	g.stop(t)
	return c
}

// gethPebble is the smallest cache that geth gives Pebble, and gethLeastCache the --cache that selects it.
const (
	gethPebble     = 16 << 20
	gethLeastCache = "32"
)

// withoutLogIndex is the flag that keeps geth from writing an index of logs after its start.
const withoutLogIndex = "--history.logs.disable"

// start starts a geth on a copy of the chain.
func (c *gethChain) start(t *testing.T, flags ...string) *gethNode {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "node")
	copyTree(t, c.dir, dir)
	return startGeth(t, dir, flags...)
}

// watcher is a getio watch in another process.
type watcher struct {
	cmd      *exec.Cmd
	out      bytes.Buffer
	programs []ebpf.ProgramID
	maps     []ebpf.MapID
	links    []link.ID
}

// watchApart starts getio watch, and returns once it counts.
func watchApart(t *testing.T, g *gethNode, flags ...string) *watcher {
	t.Helper()
	flags = append([]string{"watch", strconv.Itoa(g.pid), "--json", "--metrics-addr", "127.0.0.1:0"}, flags...)
	w := &watcher{cmd: exec.Command("getio", flags...)}
	w.cmd.Stdout = &w.out
	stderr, err := w.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, w.cmd.Start())
	t.Cleanup(func() { w.cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	require.True(t, lines.Scan(), "nothing on standard error: %v", lines.Err())
	url, ok := strings.CutPrefix(lines.Text(), "Metrics: ")
	require.True(t, ok, lines.Text())
	// It shows what it counts from the first second of counting on.
	for !strings.Contains(fetch(t.Context(), t, url), "\ngetio_watch_seconds_total ") {
		time.Sleep(50 * time.Millisecond)
	}
	w.programs, w.maps, w.links = inKernel(t, w.cmd.Process.Pid)
	return w
}

// outputApart returns what a command prints that gives up the capabilities of its process.
func outputApart(t *testing.T, args ...string) []byte {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command("getio", args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, "%v: %s", args, &errs)
	return out
}

// end interrupts the watcher as Ctrl-C does, and returns its record.
func (w *watcher) end(t *testing.T) *record.Watch {
	t.Helper()
	require.NoError(t, w.cmd.Process.Signal(os.Interrupt))
	return w.await(t)
}

// await waits for the watcher's end, and returns its record.
func (w *watcher) await(t *testing.T) *record.Watch {
	t.Helper()
	require.NoError(t, w.cmd.Wait())
	return parseWatch(t, w.out.Bytes())
}

func parseWatch(t *testing.T, text []byte) *record.Watch {
	t.Helper()
	r := &record.Watch{}
	require.NoError(t, json.Unmarshal(text, r), "%s", text)
	assert.True(t, r.Complete, "%+v", r.Losses)
	return r
}

// chaindataOf returns what was counted of geth's chain. geth has a database of its peers, too.
func (g *gethNode) chaindataOf(t *testing.T, r *record.Watch) *record.WatchedDatabase {
	t.Helper()
	for _, d := range r.Databases {
		if d.Path == g.store {
			return d
		}
	}
	require.Fail(t, "no chaindata", "%+v", r)
	return nil
}

// inKernel returns what a process holds in the kernel of programs, maps and links.
func inKernel(t *testing.T, pid int) (programs []ebpf.ProgramID, maps []ebpf.MapID, links []link.ID) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // closed meanwhile
		}
		numbers := map[string]uint32{}
		for line := range strings.Lines(string(text)) {
			kind, number, _ := strings.Cut(strings.TrimSpace(line), ":\t")
			if id, err := strconv.ParseUint(number, 10, 32); err == nil {
				numbers[kind] = uint32(id)
			}
		}
		if id, is := numbers["link_id"]; is {
			links = append(links, link.ID(id)) // beside it is its program
		} else if id, is := numbers["prog_id"]; is {
			programs = append(programs, ebpf.ProgramID(id))
		} else if id, is := numbers["map_id"]; is {
			maps = append(maps, ebpf.MapID(id))
		}
	}
	return programs, maps, links
}

// left counts what the kernel still has of a watcher.
func (w *watcher) left() (n int) {
	for _, id := range w.programs {
		if p, err := ebpf.NewProgramFromID(id); err == nil {
			p.Close()
			n++
		}
	}
	for _, id := range w.maps {
		if m, err := ebpf.NewMapFromID(id); err == nil {
			m.Close()
			n++
		}
	}
	for _, id := range w.links {
		if l, err := link.NewFromID(id); err == nil {
			l.Close()
			n++
		}
	}
	return n
}

// requireNothingLeft waits until the kernel has freed all of a watcher, which it does soon after the watcher's end.
func (w *watcher) requireNothingLeft(t *testing.T, after string) {
	t.Helper()
	require.NotEmpty(t, w.programs)
	require.NotEmpty(t, w.maps)
	require.NotEmpty(t, w.links)
	began := time.Now()
	for w.left() > 0 && time.Since(began) < time.Minute {
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("after %s: of %d programs, %d maps and %d links in the kernel, %d are left after %v",
		after, len(w.programs), len(w.maps), len(w.links), w.left(), time.Since(began).Round(time.Millisecond))
	require.Zero(t, w.left())
}

// gethCounts: watch counts a read for each miss that geth counts, and one for each footer, which Pebble reads without asking
// the cache. With one worker, the numbers must be equal. With several, Gets that need the same block at the same time have a
// miss each and share one read.
func gethCounts(t *testing.T, c *gethChain) {
	g := c.start(t, "--cache", gethLeastCache, withoutLogIndex)
	for _, load := range []struct {
		workers    int
		requests   int64
		mostShared int64
	}{
		{workers: 1, requests: 10_000},
		{workers: gethWorkers, requests: 20_000, mostShared: 5},
	} {
		w := watchApart(t, g)
		before := g.quiet(t)
		l := g.load(t, c.targets, load.workers, uint64(load.workers), load.requests)
		misses := g.quiet(t) - before
		d := g.chaindataOf(t, w.end(t))
		l.requireServed(t)
		opening := d.Components["table_open"].Reads
		require.Zero(t, opening%readsToOpen, "tables are opened whole: %+v", d.Components)
		footers := opening / readsToOpen
		shared := misses + footers - d.Reads.Count
		t.Logf("%d requests, %d at a time, made %d Gets with %d reads, %.4f I/Os per Get; geth counted %d misses: %+d; %d footers, %d shared loads",
			load.requests, load.workers, d.Gets, d.Reads.Count, d.IOsPerGet.Mean, misses, d.Reads.Count-misses, footers, shared)
		assert.GreaterOrEqual(t, shared, int64(0), "reads that geth did not count")
		assert.LessOrEqual(t, shared, load.mostShared)
		for component, reads := range d.Components {
			t.Logf("%s: %+v", component, reads)
		}
		for _, category := range d.Categories {
			t.Logf("%s: %d Gets, %d reads", category.Category, category.Gets, category.Reads.Count)
		}
	}
}

// readsToOpen is how often Pebble reads a table to open it: the footer without the cache, metaindex and properties through it.
const readsToOpen = 3

// gethCategories: watch counts the Gets of known keys in their categories. geth's debug_dbGet makes one Get.
func gethCategories(t *testing.T, c *gethChain) {
	const keys = 10_000
	g := c.start(t, "--cache", gethLeastCache) // with an index of logs, whose keys are of three more categories
	indexed := func() bool {
		text, err := os.ReadFile(g.log)
		return err == nil && strings.Contains(string(text), "Log index head rendering finished")
	}
	require.Eventually(t, indexed, 5*time.Minute, 100*time.Millisecond)
	g.quiet(t)
	asked := map[string]int64{}
	list := knownKeys(t, g.store, keys)
	w := watchApart(t, g)
	for _, k := range list {
		var value hexutil.Bytes
		require.NoError(t, g.call(&value, "debug_dbGet", hexutil.Encode(k.key)))
		asked[string(k.category)]++
	}
	counted := map[string]int64{}
	for _, category := range g.chaindataOf(t, w.end(t)).Categories {
		counted[category.Category] = category.Gets
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		t.Logf("%s: asked for %d, counted %d", name, asked[name], counted[name])
	}
	t.Logf("%d keys of %d categories", len(list), len(asked))
	assert.Len(t, list, keys)
	assert.Equal(t, asked, counted)
}

type knownKey struct {
	key      []byte
	category chaindata.Category
}

// knownKeys returns keys of a database in use: as many of each category, as far as it has them.
func knownKeys(t *testing.T, dir string, n int) (chosen []knownKey) {
	t.Helper()
	d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{Live: true})
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.Close()) }()
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	defer db.Close()
	ordered, err := engine.AsOrdered(db, d.Store.Info())
	require.NoError(t, err)
	byCategory := map[chaindata.Category][]knownKey{}
	require.NoError(t, ordered.Scan(nil, nil, func(key, value []byte) error {
		category := chaindata.CategoryOf(key, value)
		byCategory[category] = append(byCategory[category], knownKey{bytes.Clone(key), category})
		return nil
	}))
	// The smallest categories are taken whole, and the larger ones share the rest.
	names := slices.SortedFunc(maps.Keys(byCategory), func(a, b chaindata.Category) int { return len(byCategory[a]) - len(byCategory[b]) })
	for i, name := range names {
		all := byCategory[name]
		take := min(len(all), (n-len(chosen))/(len(names)-i))
		for j := range take {
			chosen = append(chosen, all[j*len(all)/take])
		}
	}
	return chosen
}

// gethRecorded is how long Gets are recorded.
const gethRecorded = 75 * time.Second

// recorded records the Gets of a geth under load.
func (c *gethChain) recorded(t *testing.T, g *gethNode, seed uint64) (path string, _ *record.WatchedTrace) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "geth.trace.gz")
	l := g.load(t, c.targets, gethWorkers, seed, 0)
	r := parseWatch(t, outputApart(t, "watch", strconv.Itoa(g.pid), "--for", gethRecorded.String(), "--record", path, "--json"))
	l.stop()
	l.requireServed(t)
	require.NotNil(t, r.Trace)
	require.Equal(t, g.store, r.Trace.Database)
	require.NotNil(t, r.Trace.Measured)
	t.Logf("recorded %d Gets of %d requests, %d lost; memtables take %.1f%% of the cache; %.4f I/Os per Get of the last %d Gets",
		r.Trace.Gets, l.made.Load(), r.Trace.LostGets, 100*r.Trace.MemtableShare, r.Trace.Measured.Mean, r.Trace.Measured.Gets)
	return path, r.Trace
}

// gethStarted: the recording of a geth that was just started makes as many I/Os per Get, when it is replayed, as watch
// counted.
func gethStarted(t *testing.T, c *gethChain) {
	g := c.start(t, "--cache", gethLeastCache, withoutLogIndex)
	memtables := g.memtables(t)
	t.Logf("the memtables have %d bytes", memtables)
	require.Less(t, memtables, int64(gethPebble/4))
	c.requireReplay(t, g, 2)
}

// gethWritten: so does the recording of a geth that has written for a while and has larger memtables.
func gethWritten(t *testing.T, c *gethChain) {
	g := c.start(t, "--cache", gethLeastCache, withoutLogIndex)
	g.fillMemtables(t, gethPebble, c.targets.accounts)
	path := c.requireReplay(t, g, 3)
	g.stop(t) // curve reads no database that is in use
	var sizes []string
	for mib := 4; mib <= 64; mib *= 2 {
		sizes = append(sizes, fmt.Sprintf("%dMiB", mib))
	}
	curve := recordsOf(t, "curve", g.store, "--trace", path, "--cache", strings.Join(sizes, ","), "--json").Predictions
	require.Len(t, curve, len(sizes))
	for i, size := range sizes {
		requireWithin(t, 0.02, *curve[i].IOsPerGet.Window, replayed(t, g.store, path, size), "curve against measure at "+size)
	}
}

// requireReplay records Gets, and makes them once more in a copy of the database.
func (c *gethChain) requireReplay(t *testing.T, g *gethNode, seed uint64) (path string) {
	t.Helper()
	path, trace := c.recorded(t, g, seed)
	require.InDelta(t, float64(g.memtables(t))/gethPebble, trace.MemtableShare, 0.01)
	requireWithin(t, 0.03, replayed(t, g.store, path, "16MiB", "--live"), trace.Measured.Mean, "measure of the recording against watch")
	return path
}

// replayed returns the I/Os per Get of a recording with another cache.
func replayed(t *testing.T, dir, path, cache string, flags ...string) float64 {
	t.Helper()
	results := recordsOf(t, append([]string{"measure", dir, "--trace", path, "--cache", cache, "--json"}, flags...)...).Results
	require.Len(t, results, 1)
	return results[0].IOsPerGet.Mean
}

// requireWithin fails if is differs from should by more than a share of it.
func requireWithin(t *testing.T, share, is, should float64, what string) {
	t.Helper()
	off := is/should - 1
	t.Logf("%s: %.4f and %.4f, %+.2f%%", what, is, should, 100*off)
	assert.LessOrEqual(t, math.Abs(off), share, what)
}

// gethAdvice: a geth with the cache that advise names makes as many I/Os per Get as advise says, once its cache has been
// filled by as many Gets as were recorded for that.
func gethAdvice(t *testing.T, c *gethChain) {
	g := c.start(t, "--cache", gethLeastCache, withoutLogIndex)
	g.fillMemtables(t, gethPebble, c.targets.accounts)
	l := g.load(t, c.targets, gethWorkers, 4, 0)
	var advice record.Advice
	require.NoError(t, json.Unmarshal(outputApart(t, "advise", strconv.Itoa(g.pid), "--for", gethRecorded.String(), "--json"), &advice))
	l.stop()
	l.requireServed(t)
	var worth, present *record.AdvisedCache
	for _, cache := range advice.Caches {
		t.Logf("advice: %.1f MiB, --cache %d, --cache.database %d, %v: %.4f I/Os per Get", float64(cache.Cache.Bytes)/(1<<20), cache.GethCacheMiB, cache.GethDatabase, cache.Reasons, cache.IOsPerGet.Predicted)
		if slices.Contains(cache.Reasons, record.ReasonWorth) {
			worth = cache
		}
		if slices.Contains(cache.Reasons, record.ReasonPresent) {
			present = cache
		}
	}
	require.NotNil(t, worth)
	require.NotNil(t, present)
	require.NotNil(t, present.IOsPerGet.Error)
	t.Logf("advice on the present cache is off by %+.2f%%, of %d Gets that fill caches and %d that count", 100**present.IOsPerGet.Error, advice.Trial.WarmupGets, advice.Trial.Gets)
	require.NotZero(t, worth.GethCacheMiB)
	g.stop(t)

	flags := []string{"--cache", strconv.FormatInt(worth.GethCacheMiB, 10), withoutLogIndex}
	share := int64(50)
	if worth.GethDatabase > 0 {
		share = worth.GethDatabase
		flags = append(flags, "--cache.database", strconv.FormatInt(share, 10))
	}
	g = startGeth(t, filepath.Dir(filepath.Dir(g.store)), flags...)
	g.fillMemtables(t, worth.GethCacheMiB*share/100<<20, c.targets.accounts)
	w := watchApart(t, g)
	g.load(t, c.targets, gethWorkers, 5, l.made.Load()*5/4).requireServed(t)
	d := g.chaindataOf(t, w.end(t))
	// Windows of a second are left out until as many Gets were made as filled the simulated caches, and then count until
	// as many were made as advise has counted.
	var all, gets, reads int64
	for _, window := range d.IOsPerGet.Windows {
		if all >= advice.Trial.WarmupGets && gets < advice.Trial.Gets {
			gets += window.Gets
			reads += window.Reads
		}
		all += window.Gets
	}
	require.GreaterOrEqual(t, gets, advice.Trial.Gets, "of %d Gets", all)
	t.Logf("geth then made %d Gets; %d reads of the %d Gets that count", all, reads, gets)
	requireWithin(t, 0.10, float64(reads)/float64(gets), worth.IOsPerGet.Predicted, "geth with the advised cache against the advice")
}

// gethDetached: whatever ends a watcher, nothing stays in the kernel, and geth keeps answering.
func gethDetached(t *testing.T, c *gethChain) {
	g := c.start(t, "--cache", gethLeastCache, withoutLogIndex)
	l := g.load(t, c.targets, gethWorkers, 6, 0)
	requireAnswers := func() {
		before := l.made.Load()
		require.Eventually(t, func() bool { return l.made.Load() > before+100 }, time.Minute, time.Millisecond, "geth stands still")
	}
	rate := func(d time.Duration) float64 {
		before, began := l.made.Load(), time.Now()
		time.Sleep(d)
		return float64(l.made.Load()-before) / time.Since(began).Seconds()
	}
	requireAnswers()

	w := watchApart(t, g)
	requireAnswers()
	r := w.end(t)
	w.requireNothingLeft(t, "an interrupt")
	require.Positive(t, g.chaindataOf(t, r).Gets)
	requireAnswers()

	w = watchApart(t, g)
	requireAnswers()
	require.NoError(t, w.cmd.Process.Kill())
	require.Error(t, w.cmd.Wait())
	w.requireNothingLeft(t, "kill -9")
	requireAnswers()

	alone := rate(10 * time.Second)
	const cycles = 50
	before, began, gets := l.made.Load(), time.Now(), int64(0)
	for range cycles {
		r := parseWatch(t, outputApart(t, "watch", strconv.Itoa(g.pid), "--for", "500ms", "--json"))
		require.False(t, r.Process.Ended)
		gets += g.chaindataOf(t, r).Gets // none where attaching took as long
		requireAnswers()
	}
	require.Positive(t, gets)
	meanwhile := float64(l.made.Load()-before) / time.Since(began).Seconds()
	programs, kept, links := inKernel(t, os.Getpid())
	t.Logf("%d requests per second before, %d while getio attached and detached %d times in %v, %d afterwards",
		int(alone), int(meanwhile), cycles, time.Since(began).Round(time.Second), int(rate(10*time.Second)))
	assert.Empty(t, programs)
	assert.Empty(t, kept)
	assert.Empty(t, links)
	l.requireServed(t)
	l.stop()

	w = watchApart(t, g)
	g.load(t, c.targets, gethWorkers, 7, 1000).requireServed(t)
	require.NoError(t, syscall.Kill(g.pid, syscall.SIGKILL))
	r = w.await(t)
	assert.True(t, r.Process.Ended)
	assert.Positive(t, g.chaindataOf(t, r).Gets)
	w.requireNothingLeft(t, "the end of geth")
}
