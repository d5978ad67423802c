package openfile

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Each calls read for files 0 to n-1, several at a time, so that reads of a cold disk
// overlap. It returns the first error.
func Each(ctx context.Context, n int, read func(i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4 * runtime.NumCPU())
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return read(i)
		})
	}
	return group.Wait()
}
