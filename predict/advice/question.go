// Package advice answers an operator's questions about a database: which block cache to set, what the present one costs,
// what other filters and block sizes would change, and what is wasted.
//
// Reads are computed for caches of many sizes: from the shape of the tree for a large Pebble database with equally popular
// keys (package twin), otherwise by making the Gets once and simulating the caches (package replay). The present and the
// advised cache are then measured (measured.go); measured figures take precedence.
package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize"

	"getio/client/geth"
	"getio/engine/lsm"
	"getio/measure/database"
	"getio/predict/twin"
	"getio/record"
)

// Question is a question about a tree.
type Question struct {
	twin.Subject
	Layout lsm.TableFormat // of its tables
	// Shards returns how many shards the library gives a cache.
	Shards func(cacheBytes int64) int

	// Client describes the program that reads the database.
	Client      *database.Client
	Running     *geth.Flags // of the client that runs; nil if not known
	Present     int64       // bytes of the present cache; 0 if not known
	Memory      int64       // bytes available for a cache; 0 if not limited
	Target      float64     // intended I/Os per Get; 0 for what is worth it
	MachineSize int64       // bytes of memory of the client's machine; 0 if not known
	// Progress, if not nil, is called with the simulated Gets, of at most most.
	Progress func(done, most int64)

	interpolates bool // between simulated caches
}

// Check returns an error for a question that cannot be answered.
func (q *Question) Check() error {
	if !(q.Target >= 0) || math.IsInf(q.Target, 1) {
		return fmt.Errorf("invalid target of %v I/Os per Get: choose one above 0 such as 1.1", q.Target)
	}
	for _, bytes := range []int64{q.Present, q.Memory} {
		if bytes != 0 && bytes < max(q.Client.Floor, q.Reserved+1) {
			return fmt.Errorf("a cache of %s leaves hardly anything for blocks beside the %s of a memtable: choose at least %s",
				humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(q.Reserved)), humanize.IBytes(uint64(max(q.Client.Floor, q.Reserved+1))))
		}
	}
	return nil
}

// focus returns the cache for which changes are computed: that of Memory, else Present.
func (q *Question) focus() int64 { return cmp.Or(q.Memory, q.Present) }

// most returns the largest useful cache: Memory, the client's limit or the machine's memory, and at most the size of all
// tables.
func (q *Question) most() int64 {
	all := max(q.Shape.Total().Bytes+q.Reserved, 2*q.least())
	if most := cmp.Or(q.Memory, q.Client.Most(q.MachineSize), q.MachineSize); most > 0 {
		return max(min(all, most), q.Present, q.least())
	}
	return all
}

// least returns the smallest cache that may be advised.
func (q *Question) least() int64 { return max(q.Client.Floor, q.Client.Least(), q.Reserved+1) }

// asked is the size of a cache that the question names, and the reason to show it.
type asked struct {
	bytes  int64
	reason string
}

func (q *Question) asked() []asked {
	all := []asked{{q.Present, record.ReasonPresent}, {q.Memory, record.ReasonMemory}}
	if q.Present > 0 {
		all = append(all, asked{q.Client.Times(q.Present, 0.5), record.ReasonHalf}, asked{q.Client.Times(q.Present, 2), record.ReasonDouble})
	}
	if q.Memory == 0 && q.Client.Store != nil {
		all = append(all, asked{q.most(), record.ReasonMost})
	}
	return slices.DeleteFunc(all, func(a asked) bool {
		return a.bytes < q.least() && a.bytes != q.Present && a.bytes != q.Memory || a.bytes == 0
	})
}
