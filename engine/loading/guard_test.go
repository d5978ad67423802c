package loading

import (
	"errors"
	"testing"
)

func TestGuardReturnsTheErrorOfTheWorkOrTheLibrary(t *testing.T) {
	f, broken := NewFailures(), errors.New("broken")
	if err := Guard(f, func() error { return nil }); err != nil {
		t.Errorf("error %v", err)
	}
	if err := Guard(f, func() error { return broken }); err != broken {
		t.Errorf("error %v", err)
	}
	hang := make(chan struct{})
	defer close(hang)
	err := Guard(f, func() error {
		f.Fail(broken)
		<-hang
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}
