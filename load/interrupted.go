package load

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Interrupted is the error of an interrupted load or update.
type Interrupted struct {
	Left string // the state it left behind, and how to resume
}

func (i *Interrupted) Error() string { return "interrupted: " + i.Left }

// Unwrap returns context.Canceled.
func (i *Interrupted) Unwrap() error { return context.Canceled }

func (j *Job) loadInterrupted() error {
	return &Interrupted{fmt.Sprintf("the dataset in %s is incomplete, and what was written is kept: %s", j.Dir, j.resumeHint())}
}

func (j *Job) updatesInterrupted() error {
	return &Interrupted{fmt.Sprintf("the updates of %s did not finish, and each of its keys has its old value or its new one, both of which reads accept", j.Dir)}
}

func (j *Job) resumeHint() string {
	if j.ResumeHint != "" {
		return j.ResumeHint
	}
	return fmt.Sprintf("resume with 'getio load %s --resume'", j.Dir)
}

// stopWithin is how long an interrupted library may take to close. Closing waits for running
// compactions, which may take minutes.
const stopWithin = time.Second

// stoppable runs work, and abandons it if it does not return within stopWithin of an
// interruption. The process must exit then: to a load, that is the same as being killed, and
// a killed load can be resumed.
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

func noSpace(err error, then string) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space is left on the device: free some, then %s (%w)", then, err)
	}
	return err
}
