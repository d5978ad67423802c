package load

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Interrupted is the error of a load or an update that was told to stop.
type Interrupted struct {
	Left string // what it left behind, and how to go on
}

func (i *Interrupted) Error() string { return "interrupted: " + i.Left }

// Unwrap makes it a context.Canceled.
func (i *Interrupted) Unwrap() error { return context.Canceled }

// loadInterrupted is the error of an interrupted load.
func (j *Job) loadInterrupted() error {
	return &Interrupted{fmt.Sprintf("the dataset in %s is incomplete, and what was written is kept: %s", j.Dir, j.resumeHint())}
}

// updatesInterrupted is the error of interrupted updates.
func (j *Job) updatesInterrupted() error {
	return &Interrupted{fmt.Sprintf("the updates of %s did not finish, and each of its keys has its old value or its new one, both of which reads accept", j.Dir)}
}

func (j *Job) resumeHint() string {
	if j.ResumeHint != "" {
		return j.ResumeHint
	}
	return fmt.Sprintf("resume with 'getio load %s --resume'", j.Dir)
}

// stopWithin is how long an interrupted library may take to close: it waits for
// the compactions under way, which may take minutes.
const stopWithin = time.Second

// stoppable runs work, and leaves it behind if it does not end soon after an
// interruption. The process must end then: to a load, that is no worse than
// being killed, which it is made to go on from.
func stoppable(ctx context.Context, interrupted error, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(stopWithin):
		return interrupted
	}
}

// noSpace says what to do about a full disk.
func noSpace(err error, then string) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space is left on the device: free some, then %s (%w)", then, err)
	}
	return err
}
