package loading

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFailKeepsTheFirstFailure(t *testing.T) {
	f := NewFailures()
	first := errors.New("first")
	f.Fail(first)
	f.Fail(errors.New("second")) // must not block
	if err := <-f.Failed(); err != first {
		t.Errorf("failed with %v", err)
	}
}

func TestHaltBlocksOnErrorsOfTheDevice(t *testing.T) {
	f := NewFailures()
	other := errors.New("something else")
	if err := f.Halt(other); err != other {
		t.Errorf("%v became %v", other, err)
	}
	assert.NoError(t, f.Halt(nil))
	select {
	case err := <-f.Failed():
		t.Errorf("failed with %v", err)
	default:
	}
	for _, device := range []error{syscall.ENOSPC, syscall.EIO} {
		f := NewFailures()
		go f.Halt(fmt.Errorf("write 000001.log: %w", device)) // never returns
		if err := <-f.Failed(); !errors.Is(err, device) {
			t.Errorf("failed with %v", err)
		}
	}
}

func TestUnlessFailedAbandonsAFailedOpen(t *testing.T) {
	f := NewFailures()
	broken := errors.New("disk full")
	db, err := UnlessFailed(f, func() (*int, error) {
		f.Fail(broken)
		select {}
	})
	if db != nil || err != broken {
		t.Errorf("%v, %v", db, err)
	}
	n := 7
	if db, err := UnlessFailed(NewFailures(), func() (*int, error) { return &n, nil }); db != &n || err != nil {
		t.Errorf("%v, %v", db, err)
	}
}

func TestGuardReturnsTheErrorOfTheWorkOrTheLibrary(t *testing.T) {
	f, broken := NewFailures(), errors.New("broken")
	for _, want := range []error{nil, broken} {
		if err := Guard(f, func() error { return want }); err != want {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	hang := make(chan struct{})
	defer close(hang)
	err := Guard(f, func() error {
		f.Fail(broken)
		<-hang
		return nil
	})
	assert.ErrorIs(t, err, broken)
}
