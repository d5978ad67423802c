package pebbledb

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

func TestReplayed(t *testing.T) {
	l := NewLogger()
	l.Infof("[JOB %d] WAL file %s with log number %s stopped reading at offset: %d; replayed %d keys in %d batches", 1, "000002.log", "000002", 77, 12, 3)
	l.Infof("[JOB %d] WAL %s stopped reading at offset: %s; replayed %d keys in %d batches", 1, "000004: {(db,000)}", "(000004: 99)", 30, 1)
	l.Infof("[JOB 2] flushed 5 memtables: 17 keys in 2 batches")
	l.Errorf("replayed %d keys in %d batches", 1000, 1)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				l.Infof("[JOB %d] WAL %s stopped reading at offset: %s; replayed %d keys in %d batches", 1, "000005: {(db,000)}", "(000005: 9)", 2, 1)
			}
		})
	}
	all.Wait()
	replayed := l.Replayed()
	assert.Equal(t, []ReplayedLog{{2, 12}, {4, 30}, {5, 2}}, replayed[:3])
	assert.Len(t, replayed, 2+8*50)
}

func TestFatalfOfWriterReportsAndBlocks(t *testing.T) {
	defer func() {
		// synctest panics at the end because the goroutine is blocked.
		assert.NotNil(t, recover(), "Fatalf did not block the goroutine")
	}()
	synctest.Test(t, func(t *testing.T) {
		l := NewLogger()
		returned := false
		go func() {
			l.Fatalf("cannot write %s: %v", "000001.log", syscall.ENOSPC)
			returned = true
		}()
		synctest.Wait()
		err := <-l.Failed()
		if returned || err.Error() != "cannot write 000001.log: no space left on device" || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("returned %v, failed with %v", returned, err)
		}
	})
}

func TestFatalfOfReaderPanics(t *testing.T) {
	defer func() {
		assert.Equal(t, "block 7 is damaged", fmt.Sprint(recover()))
	}()
	NewReadLogger().Fatalf("block %d is damaged", 7)
}
