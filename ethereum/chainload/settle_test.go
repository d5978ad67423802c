package chainload

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"getio/engine"
	pebblev2 "getio/engine/pebble/v2"
)

// full is an engine whose library finds the disk full while the store settles, and never
// returns.
type full struct{ engine.Engine }

func (f full) Resume(string, engine.Config) (engine.Loader, error) {
	return &fullLoader{failed: make(chan error, 1)}, nil
}

type fullLoader struct {
	engine.Loader
	failed chan error
}

func (l *fullLoader) Failed() <-chan error { return l.failed }
func (l *fullLoader) Close() error         { panic("a library that has failed was closed") }
func (l *fullLoader) Settle(context.Context, func(engine.SettleProgress)) error {
	l.failed <- fmt.Errorf("write: %w", syscall.ENOSPC)
	select {}
}

func TestFullDiskWhileSettlingEndsJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := small()
	p.Blocks, p.Aged = 10, 0
	_, err := (&Job{Plan: p, Engine: full{pebblev2.Engine}, Dir: filepath.Join(dir, "chain")}).Run(context.Background())
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	requireNothing(t, dir)
}
