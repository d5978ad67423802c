package probetest

import (
	"errors"
	"math/rand/v2"
	"sync"
)

// errEnough ends a goroutine of a group.
var errEnough = errors.New("enough")

// group is goroutines that repeat something.
type group struct {
	wg    sync.WaitGroup
	mu    sync.Mutex
	err   error
	count uint64
}

// do repeats f in a goroutine until it fails or stop is closed.
func (g *group) do(stop <-chan struct{}, f func(*rand.Rand) error) {
	g.count++
	random := rand.New(rand.NewPCG(g.count, 1))
	g.wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := f(random); err != nil {
				if !errors.Is(err, errEnough) {
					g.mu.Lock()
					g.err = errors.Join(g.err, err)
					g.mu.Unlock()
				}
				return
			}
		}
	})
}

func (g *group) wait() error {
	g.wg.Wait()
	return g.err
}
