package chainload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine"
	"getio/engine/loading"
	pebblev2 "getio/engine/pebble/v2"
)

func TestChildFailureIsOneSentence(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"it panics":         {`echo 'panic: fatal: commit error' >&2; echo 'goroutine 1 [running]:' >&2; exit 2`, "(exit status 2: fatal: commit error)"},
		"it logs":           {`echo 'CRIT [11-26|11:18:24.149] Failed to open state history freezer     err=EOF' >&2; exit 1`, "(exit status 1: Failed to open state history freezer err=a file ends early)"},
		"it refuses":        {`echo 'getio: the state differs from the plan' >&2; exit 1`, "the state differs from the plan"},
		"the disk is full":  {`echo 'CRIT [01-01] Failed to write states err="write 7.log: no space left on device"' >&2; exit 1`, "no space left for the chain"},
		"it makes nothing":  {`exit 0`, "go-ethereum failed while making the chain"},
		"it complains much": {`yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | head -c 1000000 >&2; exit 2`, "go-ethereum failed while making the chain"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := &Job{Plan: small(), Engine: pebblev2.Engine, Dir: filepath.Join(dir, "chain")}
			j.Child = func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "sh", "-c", c.script) }
			_, err := j.Run(context.Background())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			assert.Equal(t, name == "the disk is full", errors.Is(err, syscall.ENOSPC), "ENOSPC")
			requireNothing(t, dir)
		})
	}
}

func TestCancelKillsChild(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	j := &Job{Plan: small(), Engine: pebblev2.Engine, Dir: filepath.Join(dir, "chain")}
	var child *exec.Cmd
	j.Child = func(ctx context.Context) *exec.Cmd {
		child = exec.CommandContext(ctx, "sh", "-c", `echo '{"phase":"state"}'; exec sleep 1000`)
		return child
	}
	j.Progress = func(string, uint64, uint64, string) { cancel() }
	if _, err := j.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	assert.Equal(t, syscall.SIGKILL, child.SysProcAttr.Pdeathsig, "it would outlive a process that is killed")
	requireNothing(t, dir)
}

func TestServeRefusesRequests(t *testing.T) {
	in := strings.NewReader(`{"plan":{"accounts":10},"engine":"pebblev2","dir":"` + t.TempDir() + `"}`)
	byName := func(string) (engine.Engine, error) { return nil, errors.New("no engine") }
	assert.Error(t, Serve(t.Context(), in, &bytes.Buffer{}, byName, loading.NewFailures()), "it made a chain without an engine")
	assert.ErrorContains(t, Serve(t.Context(), strings.NewReader("{"), &bytes.Buffer{}, byName, loading.NewFailures()), "standard input")
}

// full is an engine whose library finds the disk full while the store settles, and never returns.
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
	assert.ErrorIs(t, err, syscall.ENOSPC)
	requireNothing(t, dir)
}
