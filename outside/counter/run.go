package counter

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Run starts a command with an empty page cache, waits for it to end, and tells what it
// and all that it started have read meanwhile, and how long that took. The memory of these
// is limited, if memory is positive, page cache included. What they leave running is
// killed.
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
		return n, 0, errors.Join(ctx.Err(), fmt.Errorf("%s failed (%w): what it read is no figure", cmd.Args[0], err))
	}
	after, err := c.Count()
	if err != nil {
		return n, 0, err
	}
	return after.Sub(before), took, ctx.Err()
}
