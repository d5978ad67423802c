package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"
)

// TestLiveCopiesAreWhole copies databases while they are written, flushed and compacted: each copy
// has every key that was synced before it was taken, and leaves nothing behind.
func TestLiveCopiesAreWhole(t *testing.T) {
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "chaindata")
			cfg, err := e.Configure("", append(smallTree(e.Name()), "max_open_files=500"))
			require.NoError(t, err)
			loader, err := e.Create(dir, cfg)
			require.NoError(t, err)
			w := &writer{loader: loader, stop: make(chan struct{}), stopped: make(chan error, 1)}
			go func() { w.stopped <- w.write() }()
			defer func() {
				close(w.stop)
				assert.NoError(t, <-w.stopped)
				assert.NoError(t, loader.Close())
			}()
			for copies := range uint64(10) {
				for w.synced.Load() < 5000*(copies+1) {
					runtime.Gosched()
				}
				w.requireCopy(t, dir, w.synced.Load())
			}
			entries, err := os.ReadDir(filepath.Dir(dir))
			if err != nil || len(entries) != 1 {
				t.Errorf("beside the database there is left %v (%v)", entries, err)
			}
		})
	}
}

// writer writes key after key until it is told to stop.
type writer struct {
	loader  engine.Loader
	synced  atomic.Uint64 // keys below it are durable
	stop    chan struct{}
	stopped chan error
}

func (w *writer) write() error {
	batch := w.loader.NewBatch()
	defer batch.Close()
	value := make([]byte, 100)
	for next := uint64(0); ; {
		select {
		case <-w.stop:
			return nil
		default:
		}
		for range 500 {
			if err := batch.Set(liveKey(next), value); err != nil {
				return err
			}
			next++
		}
		if err := batch.Commit(); err != nil {
			return err
		}
		if err := w.loader.Sync(); err != nil {
			return err
		}
		w.synced.Store(next)
	}
}

// liveKey spreads numbers over the key space, so that compactions never rest.
func liveKey(n uint64) []byte {
	return binary.BigEndian.AppendUint64(nil, n*0x9e3779b97f4a7c15)
}

func (w *writer) requireCopy(t *testing.T, dir string, synced uint64) {
	t.Helper()
	d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{Live: true})
	require.NoError(t, err)
	defer func() {
		assert.NoError(t, d.Close())
	}()
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	require.NoError(t, err)
	defer db.Close()
	var want [][]byte
	for n := range synced {
		want = append(want, liveKey(n))
	}
	slices.SortFunc(want, slices.Compare)
	at := 0
	ordered, err := engine.AsOrdered(db, d.Store.Info())
	require.NoError(t, err)
	err = ordered.Scan(nil, nil, func(key, _ []byte) error {
		if at < len(want) && slices.Equal(key, want[at]) {
			at++
		}
		return nil
	})
	if err != nil || at != len(want) {
		t.Fatalf("the copy has %d of the %d keys that were there before it (%v)", at, len(want), err)
	}
	assert.Equal(t, dir, d.Info().Dir)
}
