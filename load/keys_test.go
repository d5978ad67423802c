package load

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/workload/dataset"
)

func TestEveryKeyIsWrittenOnceWithItsValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys            uint64
		batch, workers  int
		keyspace, order string
	}{
		{1, 0, 1, dataset.KeyspaceStratified, dataset.OrderRandom},
		{1, 1000, 8, dataset.KeyspaceKeccak, dataset.OrderRandom},
		{4001, 0, 3, dataset.KeyspaceStratified, dataset.OrderRandom},
		{4001, 1, 8, dataset.KeyspaceKeccak, dataset.OrderRandom},
		{4001, 7, 2, dataset.KeyspaceKeccak, dataset.OrderSequential},
		{4001, 7, 8, dataset.KeyspaceStratified, dataset.OrderSequential},
		{9999, 1000, 1, dataset.KeyspaceStratified, dataset.OrderRandom},
		{10_001, 1000, 5, dataset.KeyspaceKeccak, dataset.OrderRandom},
		{4000, 999, 4, dataset.KeyspaceStratified, dataset.OrderRandom},
		{4001, 5000, 2, dataset.KeyspaceStratified, dataset.OrderRandom}, // more than a segment
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			if testing.Short() && c.workers == 1 {
				t.Skip("the race detector, which runs the short tests, needs several workers")
			}
			t.Parallel()
			j := newJob(t, c.keys, c.batch, c.workers)
			j.Manifest.Keyspace, j.Manifest.Order = c.keyspace, c.order
			require.NoError(t, j.New(context.Background()))
			holdWhole(t, j.Dir)
		})
	}
}

func TestLoadTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	j := newJob(t, 5003, 100, 4)
	var mu sync.Mutex
	var stages []Stage
	j.Progress = func(s Stage) {
		mu.Lock()
		defer mu.Unlock()
		stages = append(stages, s)
	}
	var written Written
	j.Written = func(w Written) { written = w }
	require.NoError(t, j.New(context.Background()))
	var done uint64
	settling := 0
	for _, s := range stages {
		switch s.Phase {
		case "load":
			if s.Done <= done || s.Total != 5003 || settling > 0 {
				t.Errorf("%+v after %d keys and %d settling reports", s, done, settling)
			}
			done = s.Done
		case "settle":
			settling++
		default:
			t.Errorf("%+v", s)
		}
	}
	if done != 5003 || settling == 0 {
		t.Errorf("reports end at %d keys, with %d settling reports", done, settling)
	}
	if written.Keys != 5003 || written.Took <= 0 || written.State == "" {
		t.Errorf("%+v", written)
	}
}

// At no time during a load does the manifest count unwritten keys as written.
func TestManifestStaysAheadOfTheWrites(t *testing.T) {
	t.Parallel()
	j := newJob(t, 5003, 100, 2)
	j.Progress = func(s Stage) {
		m, err := dataset.Read(j.Dir)
		if err != nil {
			t.Error(err)
			return
		}
		if s.Phase == "load" && (m.Complete || m.Progress == nil || s.Done > m.Progress.Horizon || m.Progress.Durable > s.Done) {
			t.Errorf("after %d keys: manifest has complete %v, %+v", s.Done, m.Complete, m.Progress)
		}
		if s.Phase == "settle" && m.Complete {
			t.Error("manifest says complete before the tree has settled")
		}
	}
	require.NoError(t, j.New(context.Background()))
	holdWhole(t, j.Dir)
}
