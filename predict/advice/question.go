// Package advice answers an operator's questions about a database: what its present cache gives,
// which cache to choose and which --cache of geth gives it (geth.go), what other filters and block sizes would change, and what is wasted.
//
// Every figure is a prediction (package twin) of the steady state for Gets of equally popular
// existing keys. If there is a database, some of its own Gets are replayed and compared with
// the prediction of the same Gets; the difference is the stated error.
package advice

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"getio/engine/lsm"
	"getio/numbers/interval"
	"getio/predict/twin"
	"getio/record"
)

// Question is a question about a tree.
type Question struct {
	twin.Subject
	Layout lsm.TableFormat // of its tables
	// Shards returns how many shards the library gives a cache.
	Shards func(cacheBytes int64) int

	Floor   int64   // bytes of the smallest useful cache
	Present int64   // bytes of the present cache; 0 if not known
	Memory  int64   // bytes available for a cache; 0 if not limited
	Target  float64 // intended I/Os per Get; 0 for none, with Gets of one's own
	// Geth adds the flags to start geth with, on a machine of GethMemory bytes; 0 if not known.
	Geth       bool
	GethMemory int64
	// FirstMemtable: the client that has the database open has not filled the memtable that it began
	// with.
	FirstMemtable bool
	// Trial, if not nil, is a run of the database's own Gets.
	Trial *Trial
	// Progress, if not nil, is called with the simulated Gets, of at most most.
	Progress func(done, most int64)

	fromShape bool // of a database
}

// Trial is a run of a database's own Gets, starting with an empty cache.
type Trial struct {
	record.AdviceTrial
	// IOsPerGet makes the Gets and returns the misses per counted Get with each cache.
	IOsPerGet func(ctx context.Context, caches []twin.Cache) ([]interval.Estimate, error)
}

// Check returns an error for a question that cannot be answered.
func (q *Question) Check() error {
	if !(q.Target >= 0) || math.IsInf(q.Target, 1) || q.Target == 0 && q.Tree != nil {
		return fmt.Errorf("invalid target of %v I/Os per Get: choose one above 0 such as 1.1", q.Target)
	}
	for _, bytes := range []int64{q.Present, q.Memory} {
		if bytes != 0 && bytes < max(q.Floor, q.Reserved+1) {
			return fmt.Errorf("a cache of %s has hardly any room for blocks beside the %s of a memtable: choose at least %s",
				humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(q.Reserved)), humanize.IBytes(uint64(max(q.Floor, q.Reserved+1))))
		}
	}
	return nil
}

// focus returns the cache for which changes are computed: that of Memory, else Present.
func (q *Question) focus() int64 {
	if q.Memory > 0 {
		return q.Memory
	}
	return q.Present
}

// asked is the size of a cache that the question names, and the reason to show it.
type asked struct {
	bytes  int64
	reason string
}

func (q *Question) asked() []asked {
	all := []asked{
		{q.Present, record.ReasonPresent}, {q.Memory, record.ReasonMemory}, {2 * q.focus(), record.ReasonDouble}, {q.nextGiB(), record.ReasonNextGiB},
	}
	return slices.DeleteFunc(all, func(a asked) bool { return a.bytes == 0 })
}

// nextGiB returns a GiB more than the focus, if the tree has use for it; else 0.
func (q *Question) nextGiB() int64 {
	if next := q.focus() + 1<<30; q.focus() > 0 && next < q.Shape.Total().Bytes {
		return next
	}
	return 0
}
