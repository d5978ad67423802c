package load

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPaceSpreadsWritesEvenly checks that at any time the number of writes lags the number due
// by at most one batch.
func TestPaceSpreadsWritesEvenly(t *testing.T) {
	for _, pace := range []Pace{1, 7, 1000, 50_000, 3_000_000} {
		synctest.Test(t, func(t *testing.T) {
			began, written := time.Now(), uint64(0)
			for range 500 {
				n, err := pace.wait(t.Context(), began, written)
				require.NoError(t, err)
				if n < 1 || n > updaterBatch {
					t.Fatalf("%v: a batch of %d", pace, n)
				}
				written += n
				due := pace.due(time.Since(began))
				if written > due || due-written > pace.batch() {
					t.Fatalf("%v: %d writes after %v, when %d are due", pace, written, time.Since(began), due)
				}
			}
		})
	}
}

// TestPaceMakesUpForStalls checks that writes that fell due during a stall follow it immediately.
func TestPaceMakesUpForStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pace = Pace(1000)
		began := time.Now()
		time.Sleep(2500 * time.Millisecond)
		var written uint64
		for _, want := range slices.Repeat([]uint64{updaterBatch}, 25) {
			n, err := pace.wait(t.Context(), began, written)
			if err != nil || n != want || time.Since(began) != 2500*time.Millisecond {
				t.Fatalf("%d writes after %v (%v), want %d", n, time.Since(began), err, want)
			}
			written += n
		}
	})
}

func TestPaceEndsWithItsContext(t *testing.T) {
	for _, pace := range []Pace{0, 1} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := pace.wait(ctx, time.Now(), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("pace %v ended with %v", pace, err)
		}
	}
}
