package loading

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"getio/engine"
)

// busy looks at a tree that finishes a compaction at each of the given looks,
// and has one under way at each of the others listed.
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

// settled runs Settle on time of its own, and tells how many looks it took.
func settled(t *testing.T, b *busy) (looks int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := Settle(context.Background(), NewFailures(), nil, b.look); err != nil {
			t.Error(err)
		}
		if took, want := time.Since(start), time.Duration(b.looks-1)*settlePause; took != want {
			t.Errorf("%d looks took %v, want %v", b.looks, took, want)
		}
	})
	return b.looks
}

func TestQuietTreeIsSettledAfterLookingForAWhile(t *testing.T) {
	if looks := settled(t, &busy{}); looks != 1+settleLooks {
		t.Errorf("%d looks", looks)
	}
	// Compactions of before do not count.
	if looks := settled(t, &busy{state: engine.SettleProgress{CompactionsDone: 1000}}); looks != 1+settleLooks {
		t.Errorf("%d looks", looks)
	}
}

func TestCompactionUnderWayBeginsTheWaitAnew(t *testing.T) {
	if looks := settled(t, &busy{underWay: map[int]int64{4: 1}}); looks != 4+settleLooks {
		t.Errorf("%d looks", looks)
	}
}

// A compaction that begins and ends between two looks shows only in how many
// are done.
func TestCompactionBetweenTwoLooksBeginsTheWaitAnew(t *testing.T) {
	if looks := settled(t, &busy{finished: map[int]int64{5: 1}}); looks != 5+settleLooks {
		t.Errorf("%d looks", looks)
	}
}

func TestTreeThatPausesNowAndThenIsNotSettled(t *testing.T) {
	b := &busy{finished: map[int]int64{}}
	for look := settleLooks; look < 100; look += settleLooks {
		b.finished[look] = 1
	}
	if looks := settled(t, b); looks < 95+settleLooks {
		t.Errorf("%d looks", looks)
	}
}

func TestSettleReportsEveryLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &busy{underWay: map[int]int64{2: 3}}
		var reported []engine.SettleProgress
		check(t, Settle(context.Background(), NewFailures(), func(s engine.SettleProgress) { reported = append(reported, s) }, b.look))
		if len(reported) != b.looks-1 || reported[0].Compactions != 3 || reported[1].Compactions != 0 {
			t.Errorf("%+v", reported)
		}
	})
}

func TestSettleEndsWhenItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		never := func() engine.SettleProgress { return engine.SettleProgress{Compactions: 1} }
		if err := Settle(ctx, NewFailures(), nil, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

func TestSettleEndsWhenTheLibraryFails(t *testing.T) {
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
		// Whoever waits for the library to fail is to know as well.
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
