package openfile

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestEachReadsEveryFileOnce(t *testing.T) {
	var reads [100]atomic.Int32
	if err := Each(context.Background(), len(reads), func(i int) error { reads[i].Add(1); return nil }); err != nil {
		t.Error(err)
	}
	for i := range reads {
		if n := reads[i].Load(); n != 1 {
			t.Errorf("file %d is read %d times", i, n)
		}
	}
	damaged := errors.New("damaged")
	if err := Each(context.Background(), 100, func(i int) error {
		if i == 50 {
			return damaged
		}
		return nil
	}); !errors.Is(err, damaged) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Each(ctx, 3, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
