package loading

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"getio/engine"
)

// busy is a tree with compactions finished and in progress at the given looks.
type busy struct {
	looks    int
	finished map[int]int64
	underWay map[int]int64
	state    engine.SettleProgress
}

func (b *busy) look() engine.SettleProgress {
	b.looks++
	b.state.CompactionsDone += b.finished[b.looks]
	b.state.Compactions = b.underWay[b.looks]
	return b.state
}

// settled runs Settle in fake time and returns how many looks it took.
func settled(t *testing.T, b *busy) (looks int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		assert.NoError(t, Settle(context.Background(), NewFailures(), nil, b.look))
		if took, want := time.Since(start), time.Duration(b.looks-1)*settlePause; took != want {
			t.Errorf("%d looks took %v, want %v", b.looks, took, want)
		}
	})
	return b.looks
}

func TestSettleLooksAgainAfterEveryCompaction(t *testing.T) {
	for name, c := range map[string]struct {
		tree busy
		last int // look that sees a compaction
	}{
		"quiet":               {busy{}, 1},
		"earlier compactions": {busy{state: engine.SettleProgress{CompactionsDone: 1000}}, 1},
		"one in progress":     {busy{underWay: map[int]int64{4: 1}}, 4},
		"one between looks":   {busy{finished: map[int]int64{5: 1}}, 5},
	} {
		assert.Equal(t, c.last+settleLooks, settled(t, &c.tree), name)
	}
}

func TestSettleWaitsThroughShortPauses(t *testing.T) {
	b := &busy{finished: map[int]int64{}}
	for look := settleLooks; look < 100; look += settleLooks {
		b.finished[look] = 1
	}
	assert.GreaterOrEqual(t, settled(t, b), 95+settleLooks)
}

func TestSettleReportsEveryLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{underWay: map[int]int64{2: 3}}
		var reported []engine.SettleProgress
		err := Settle(context.Background(), NewFailures(), func(s engine.SettleProgress) { reported = append(reported, s) }, b.look)
		if err != nil || len(reported) != b.looks-1 || reported[0].Compactions != 3 || reported[1].Compactions != 0 {
			t.Errorf("%+v, %v", reported, err)
		}
	})
}

func TestSettleCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		never := func() engine.SettleProgress { return engine.SettleProgress{Compactions: 1} }
		if err := Settle(ctx, NewFailures(), nil, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestSettleReturnsTheLibrarysFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failures, broken := NewFailures(), errors.New("disk on fire")
		go func() {
			time.Sleep(time.Minute)
			failures.Fail(broken)
		}()
		never := func() engine.SettleProgress { return engine.SettleProgress{Compactions: 1} }
		if err := Settle(context.Background(), failures, nil, never); err != broken {
			t.Errorf("error %v", err)
		}
		// Others that wait for failures must receive it too.
		select {
		case err := <-failures.Failed():
			if err != broken {
				t.Errorf("error %v", err)
			}
		default:
			t.Error("Settle kept the failure to itself")
		}
	})
}
