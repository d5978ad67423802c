package memory_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/internal/memorydir"
	"getio/load"
	"getio/measure/database"
	"getio/predict/memory"
	"getio/predict/replay"
	"getio/predict/scenario"
	"getio/statedb/counter"
	"getio/system/loopdisk"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
)

// keysEnv sets the number of keys of TestDeviceReads, and makes it try all pairs of a block cache and a page cache.
const keysEnv = "GETIO_DEVICE_KEYS"

// getsEnv makes the test binary make the Gets of a process of TestDeviceReads.
const getsEnv = "GETIO_TEST_GETS"

// process says which Gets a process makes.
type process struct {
	Dir   string
	Cache int64
	Keys  workload.Keys
}

// getsAtOnce are made for each line of input.
const getsAtOnce = 8

func TestMain(m *testing.M) {
	if text := os.Getenv(getsEnv); text != "" {
		var p process
		err := json.Unmarshal([]byte(text), &p)
		if err == nil {
			err = p.serve(os.Stdin)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve makes Gets with the library's own cache, and answers each line of input with one.
func (p process) serve(in io.Reader) error {
	ctx := context.Background()
	d, err := database.Open(ctx, engines.All(), p.Dir, database.OpenOptions{})
	if err != nil {
		return err
	}
	defer d.Close()
	gets, err := d.Gets(p.Keys)
	if err != nil {
		return err
	}
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: p.Cache})
	if err != nil {
		return err
	}
	defer db.Close()
	var key, value []byte
	lines := bufio.NewScanner(in)
	for made := int64(0); lines.Scan(); {
		if err := gets.Prepare(ctx, made, made+getsAtOnce); err != nil {
			return err
		}
		for end := made + getsAtOnce; made < end; made++ {
			key, _ = gets.Key(made, key)
			if value, _, err = db.Get(key, value); err != nil {
				return err
			}
		}
		fmt.Println(made)
	}
	return lines.Err()
}

// TestDeviceReads compares the device reads and bytes of simulated caches with those that the block layer of a private disk
// counts, for processes whose page cache is limited by a control group.
func TestDeviceReads(t *testing.T) {
	keys, caches, pages := uint64(1_000_000), []int64{8 << 20}, []int64{64 << 20}
	if s := os.Getenv(keysEnv); s != "" {
		var err error
		keys, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		caches = []int64{64 << 20, 192 << 20, 384 << 20}
		pages = []int64{96 << 20, 192 << 20, 320 << 20, 448 << 20}
	}
	for name, options := range map[string][]string{"pebblev2": nil, "rocksdb": nil} {
		t.Run(name, func(t *testing.T) {
			e, err := engines.Available().ByName(name)
			if err != nil {
				t.Skip(err)
			}
			c, err := counter.New(counter.Place{ImageIn: memorydir.For(t), Bytes: int64(keys)*170 + 256<<20})
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { require.NoError(t, c.Close()) })
			loaded := filepath.Join(t.TempDir(), "data")
			job, err := load.NewJob(engine.Registry{e}, loaded, &dataset.Manifest{
				Keys: keys, Keyspace: dataset.KeyspaceStratified, Values: dataset.ValuesPool32, ValueSize: 110, Seed: 1,
				Order: dataset.OrderRandom, Batch: 1000, Engine: name,
			}, options, 2)
			require.NoError(t, err)
			require.NoError(t, job.New(t.Context()))
			require.NoError(t, c.Copy(t.Context(), loaded, func(int64) {}))
			for _, popular := range []popularity.Popularity{{}, {Zipf: 0.8}} {
				asked := workload.Keys{Seed: 7, Popularity: popular}
				for _, cache := range caches {
					compareDevice(t, c, c.Dir, cache, pages, asked)
				}
			}
		})
	}
}

func compareDevice(t *testing.T, c *counter.Counter, dir string, cache int64, pages []int64, keys workload.Keys) {
	t.Helper()
	d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{})
	require.NoError(t, err)
	library, err := replay.LibraryOf(d)
	require.NoError(t, err)
	simulated, err := replay.Caches(d, library, []int64{cache}, 0, nil)
	require.NoError(t, err)
	q := memory.Question{}
	for _, bytes := range pages {
		q.Sizes = append(q.Sizes, cache+bytes)
	}
	simulated[0].Memory = q.Divide(cache, 0)
	tables := d.Store.Shape().Total().Bytes
	warmup := 2 * min(pages[len(pages)-1], tables) / loopdisk.Block / getsAtOnce
	run := replay.Run{Warmup: warmup * getsAtOnce, Gets: warmup * getsAtOnce}
	predicted, err := run.Predict(t.Context(), d, keys, library, simulated)
	require.NoError(t, err)
	shape := filepath.Join(t.TempDir(), "shape.json")
	require.NoError(t, d.WriteShape(t.Context(), shape, func(string, uint64, uint64, string) {}))
	require.NoError(t, d.Close())
	s, err := scenario.Query{ShapeFile: shape}.Scenario(engines.All(), keys)
	require.NoError(t, err)
	ofShape, err := s.Simulate(t.Context(), scenario.Simulation{Gets: run.Gets, Warmup: workload.WarmupGets(run.Warmup), Memory: q, Progress: func(int64, int64) {}}, []int64{cache})
	require.NoError(t, err)
	for i, m := range predicted[0].Memory {
		g := startGets(t, c, process{Dir: dir, Cache: cache, Keys: keys})
		kernel, err := c.Within(m.PageCacheBytes, int(2*warmup), int(warmup), func(int) error { return g.more() })
		require.NoError(t, err)
		g.end()
		gets := float64(warmup * getsAtOnce)
		reads, bytes := float64(kernel.Reads.Reads)/gets, float64(kernel.Reads.Bytes)/gets
		t.Logf("%v, block cache %d MiB, page cache %d MiB of %d MiB: %.4f device reads and %.0f bytes per Get, simulated %.4f (%+.1f%%) and %.0f (%+.1f%%); %.4f reads of files",
			keys.Popularity, cache>>20, m.PageCacheBytes>>20, tables>>20, reads, bytes, m.DeviceReadsPerGet, 100*(m.DeviceReadsPerGet/reads-1),
			m.DeviceBytesPerGet, 100*(m.DeviceBytesPerGet/bytes-1), *predicted[0].IOsPerGet.Window)
		assert.InEpsilon(t, reads, m.DeviceReadsPerGet, 0.05)
		assert.InEpsilon(t, bytes, m.DeviceBytesPerGet, 0.05)
		m = ofShape[0].Memory[i]
		t.Logf("of the shape: %.4f (%+.1f%%) and %.0f (%+.1f%%); %.4f reads of files", m.DeviceReadsPerGet, 100*(m.DeviceReadsPerGet/reads-1),
			m.DeviceBytesPerGet, 100*(m.DeviceBytesPerGet/bytes-1), *ofShape[0].IOsPerGet.Window)
		assert.InEpsilon(t, reads, m.DeviceReadsPerGet, 0.05)
		assert.InEpsilon(t, bytes, m.DeviceBytesPerGet, 0.05)
	}
}

// gets is a process that makes Gets.
type gets struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startGets(t *testing.T, c *counter.Counter, p process) *gets {
	t.Helper()
	text, err := json.Marshal(p)
	require.NoError(t, err)
	g := &gets{cmd: exec.Command(os.Args[0])}
	g.cmd.Env, g.cmd.Stderr = append(os.Environ(), getsEnv+"="+string(text)), os.Stderr
	g.in, err = g.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := g.cmd.StdoutPipe()
	require.NoError(t, err)
	g.out = bufio.NewReader(out)
	require.NoError(t, c.Start(g.cmd))
	return g
}

func (g *gets) more() error {
	if _, err := fmt.Fprintln(g.in); err != nil {
		return err
	}
	_, err := g.out.ReadString('\n')
	return err
}

func (g *gets) end() {
	g.in.Close()
	g.cmd.Wait()
}
