package measure

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/goleveldb"
	"getio/engine/lsm"
	"getio/load"
	"getio/measure/database"
	"getio/system/device"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/trace"
)

func TestRequestCheck(t *testing.T) {
	pace := new(load.Pace(1000))
	for says, q := range map[string]*Request{
		"scans consult no filters":         {Open: engine.OpenConfig{LastLevelFilters: true}, Options: Options{Workload: workload.Workload{Operation: workload.Operation{Kind: workload.Scan, Records: 1}}}},
		"--exact-split cannot go with":     {Pace: pace, Options: Options{Counted: Counted{ExactSplit: true}}},
		"--last-level-filters cannot":      {Pace: pace, Open: engine.OpenConfig{LastLevelFilters: true}},
		"--scan cannot":                    {Pace: pace, Options: Options{Workload: workload.Workload{Operation: workload.Operation{Kind: workload.Scan, Records: 1}}}},
		"--multiget cannot":                {Pace: pace, Options: Options{Workload: workload.Workload{Operation: workload.Operation{Kind: workload.Multiget, Records: 2}}}},
		"--trace cannot":                   {Pace: pace, Trace: &trace.File{}},
		"--record cannot":                  {Pace: pace, RecordTo: "trace"},
		"--keys-file cannot":               {Pace: pace, Options: Options{Workload: workload.Workload{Keys: workload.Keys{Files: workload.Files{KeysFile: "keys"}}}}},
		"--live cannot":                    {Pace: pace, Choice: database.OpenOptions{Live: true}},
		"--preset cannot":                  {Pace: pace, Choice: database.OpenOptions{Preset: "leveldb"}},
		"--page-cache cannot":              {Pace: pace, Open: engine.OpenConfig{Device: device.New(device.Cold, device.Model{})}},
		"--iops and --read-latency cannot": {Pace: pace, Open: engine.OpenConfig{Device: device.New(device.Keep, device.Model{IOPS: 5})}},
		"cannot be combined with --trace":  {Options: Options{Workload: workload.Workload{Keys: workload.Keys{Files: workload.Files{Trace: "t", KeysFile: "keys"}}}}},
	} {
		q.Dir = filepath.Join(t.TempDir(), "nothing is opened")
		_, err := q.Run(t.Context())
		assert.ErrorContains(t, err, says)
	}
	assert.NoError(t, (&Request{Pace: pace}).Check())
}

// closable is an engine whose stores report what is asked of them once they are closed.
type closable struct {
	engine.Updater
	t *testing.T
}

type closableStore struct {
	engine.Store
	t      *testing.T
	closed bool
}

func (e closable) OpenStore(ctx context.Context, dir string, cfg engine.Config) (engine.Store, error) {
	s, err := e.Updater.OpenStore(ctx, dir, cfg)
	return &closableStore{Store: s, t: e.t}, err
}

func (s *closableStore) Info() engine.Info {
	assert.False(s.t, s.closed, "Info of a closed store")
	return s.Store.Info()
}

func (s *closableStore) Shape() *lsm.Shape {
	assert.False(s.t, s.closed, "Shape of a closed store")
	return s.Store.Shape()
}

func (s *closableStore) Close() error {
	s.closed = true
	return s.Store.Close()
}

// TestRequestBesideUpdates: a caller need not set functions, and nothing is asked of a database after it was closed.
func TestRequestBesideUpdates(t *testing.T) {
	engines := engine.Registry{closable{goleveldb.Engine.(engine.Updater), t}}
	dir := filepath.Join(t.TempDir(), "d")
	job, err := load.NewJob(engines, dir, &dataset.Manifest{
		Keys: 5000, Keyspace: dataset.KeyspaceStratified, Values: dataset.ValuesPool32, ValueSize: 110,
		Seed: 1, Order: dataset.OrderRandom, Batch: 1000, Engine: goleveldb.Engine.Name(), Preset: "geth-leveldb",
	}, smallTables["goleveldb"], 1)
	require.NoError(t, err)
	require.NoError(t, job.New(t.Context()))
	cache, err := lsm.ParseCacheSize("64KiB")
	require.NoError(t, err)
	q := Request{
		Engines: engines, Dir: dir, Cache: cache, Updates: 100, Writers: 1, Pace: new(load.Pace(100_000)),
		Options: Options{Workload: workload.Workload{Gets: 20_000, Warmup: workload.WarmupGets(1000), Workers: 1}},
	}
	r, err := q.Run(t.Context())
	require.NoError(t, err)
	assert.True(t, r.Checks.Hold(), "%v", r.Checks)
	assert.Equal(t, "goleveldb", r.Engine.Name)
	assert.GreaterOrEqual(t, r.Workload.Updates, int64(100))
	q.Updates, q.Pace = 0, nil
	_, err = q.Run(t.Context())
	assert.NoError(t, err)
}
