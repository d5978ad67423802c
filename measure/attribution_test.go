package measure

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine"
	"getio/engine/readpath"
)

// randomRead is a read of any component.
func randomRead(r *rand.Rand) engine.TableRead {
	return engine.TableRead{Component: readpath.Component(r.IntN(readpath.NumComponents)), Length: r.IntN(10_000)}
}

// TestReadsAreAttributedToGoroutines checks that each read is counted once: for the goroutine that
// makes it if that is held, else as unattributed.
func TestReadsAreAttributedToGoroutines(t *testing.T) {
	const goroutines, batches, reads = 9, 20, 200
	a := newAttribution()
	tallies := make([]tally, goroutines)
	want := make([]tally, goroutines)
	var strays sync.Mutex
	var strayCount, strayBytes readpath.PerComponent
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for batch := range batches {
				held := i%3 == 0 || i%3 == 1 && batch%2 == 0
				release := func() {}
				if held {
					release = a.hold(&tallies[i])
				}
				for range reads {
					read := randomRead(r)
					a.read(read)
					if held {
						want[i].Count[read.Component]++
						want[i].Bytes[read.Component] += int64(read.Length)
						want[i].Pages += readpath.Pages(0, read.Length)
						want[i].sinceGet++
						continue
					}
					strays.Lock()
					strayCount[read.Component]++
					strayBytes[read.Component] += int64(read.Length)
					strays.Unlock()
				}
				release()
			}
		})
	}
	all.Wait()
	for i := range tallies {
		assert.Equal(t, want[i], tallies[i], "goroutine %d", i)
	}
	if count, bytes := a.unattributed(); count != strayCount || bytes != strayBytes {
		t.Errorf("strays %v of %v bytes, want %v of %v", count, bytes, strayCount, strayBytes)
	}
	if left := *a.tallies.Load(); len(left) != 0 {
		t.Errorf("%d threads are still held", len(left))
	}
}

func TestReadOnAnotherThreadIsUnattributed(t *testing.T) {
	a := newAttribution()
	var mine tally
	defer a.hold(&mine)()
	var other sync.WaitGroup
	other.Go(func() { a.read(engine.TableRead{Component: readpath.Data, Length: 7}) })
	other.Wait()
	a.read(engine.TableRead{Component: readpath.Index, Length: 5})
	count, bytes := a.unattributed()
	if count.Sum() != 1 || count[readpath.Data] != 1 || bytes[readpath.Data] != 7 {
		t.Errorf("strays %v of %v bytes", count, bytes)
	}
	if mine.Count.Sum() != 1 || mine.Bytes[readpath.Index] != 5 {
		t.Errorf("mine %+v", mine)
	}
}

func TestNextGetResets(t *testing.T) {
	a := newAttribution()
	var mine tally
	release := a.hold(&mine)
	for _, reads := range []int{0, 3, 0, 1} {
		for range reads {
			a.read(engine.TableRead{})
		}
		assert.Equal(t, reads, mine.nextGet())
	}
	release()
	assert.EqualValues(t, 4, mine.Count.Sum())
}

func TestAttributionDoesNotAllocate(t *testing.T) {
	a := newAttribution()
	read := engine.TableRead{Component: readpath.Filter, Length: 1}
	assert.EqualValues(t, 0, testing.AllocsPerRun(100, func() { a.read(read) }))
	defer a.hold(&tally{})()
	assert.EqualValues(t, 0, testing.AllocsPerRun(100, func() { a.read(read) }))
}

func BenchmarkAttribution(b *testing.B) {
	a := newAttribution()
	defer a.hold(&tally{})()
	for b.Loop() {
		a.read(engine.TableRead{Component: readpath.Data, Length: 4096})
	}
}

// TestUnattributedReadsWhileOthersAreHeld runs goroutines that are not held on threads to which
// others have just been held.
func TestUnattributedReadsWhileOthersAreHeld(t *testing.T) {
	a := newAttribution()
	stop := make(chan struct{})
	var strays, held sync.WaitGroup
	var made atomic.Int64
	for range 4 {
		strays.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					a.read(engine.TableRead{Component: readpath.Data})
					made.Add(1)
					runtime.Gosched()
				}
			}
		})
	}
	tallies := make([]tally, 4)
	for i := range tallies {
		held.Go(func() {
			for range 2000 {
				release := a.hold(&tallies[i])
				a.read(engine.TableRead{Component: readpath.Index})
				release()
			}
		})
	}
	held.Wait()
	close(stop)
	strays.Wait()
	for i, mine := range tallies {
		if mine.Count.Sum() != 2000 || mine.Count[readpath.Index] != 2000 {
			t.Errorf("goroutine %d: %v", i, mine.Count)
		}
	}
	if count, _ := a.unattributed(); count.Sum() != made.Load() {
		t.Errorf("%d strays of %d", count.Sum(), made.Load())
	}
}
