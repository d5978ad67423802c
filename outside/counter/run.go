package counter

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Run runs a command with an empty page cache. It returns what the command and its children
// read, and how long they took. If memory is positive, it limits their memory, page cache
// included. It kills children that outlive the command.
func (c *Counter) Run(ctx context.Context, cmd *exec.Cmd, memory int64) (n Count, took time.Duration, err error) {
	if memory > 0 {
		if err := c.group.Limit(memory); err != nil {
			return n, 0, err
		}
	}
	if _, err := c.Empty(); err != nil {
		return n, 0, err
	}
	before, err := c.Count()
	if err != nil {
		return n, 0, err
	}
	begun := time.Now()
	if err := c.Start(cmd); err != nil {
		return n, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		if err := c.group.Kill(); err != nil {
			return n, 0, errors.Join(err, ctx.Err())
		}
		return n, 0, errors.Join(<-ended, ctx.Err())
	}
	took = time.Since(begun)
	if err != nil {
		return n, 0, errors.Join(ctx.Err(), fmt.Errorf("%s failed (%w): its reads were not counted to the end", cmd.Args[0], err))
	}
	after, err := c.Count()
	if err != nil {
		return n, 0, err
	}
	return after.Sub(before), took, ctx.Err()
}
