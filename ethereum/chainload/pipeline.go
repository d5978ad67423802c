package chainload

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// inOrder produces items 0 to n-1 on all processors and passes them to take one at a time,
// in order.
func inOrder[T any](ctx context.Context, n uint64, produce func(i uint64) (T, error), take func(i uint64, made T) error) error {
	g, ctx := errgroup.WithContext(ctx)
	places := make(chan chan T, 2*runtime.NumCPU()) // channels of the items in production, in order
	g.Go(func() error {
		defer close(places)
		makers, ctx := errgroup.WithContext(ctx)
		makers.SetLimit(runtime.NumCPU())
		for i := range n {
			place := make(chan T, 1)
			select {
			case places <- place:
			case <-ctx.Done():
				makers.Wait()
				return context.Cause(ctx)
			}
			makers.Go(func() error {
				made, err := produce(i)
				if err == nil {
					place <- made
				}
				return err
			})
		}
		return makers.Wait()
	})
	g.Go(func() error {
		i := uint64(0)
		for place := range places {
			select {
			case made := <-place:
				if err := take(i, made); err != nil {
					return err
				}
				i++
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return g.Wait()
}
