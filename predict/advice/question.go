// Package advice answers an operator's questions about a database: which cache to set, and by which --cache of geth,
// what the present one costs, what other filters and block sizes would change, and what is wasted.
//
// Figures are computed for caches of many sizes: for a small database, or Gets that are not of equally popular keys, by
// making the Gets once and sending their accesses through simulated caches (package replay); for a large one of Pebble from its
// shape (package twin). The present and the advised cache are then measured with the library's own (measured.go), and
// what was measured leads.
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

	// Client is what is known of the program that reads the database: the smallest cache, the flags.
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

// most returns the largest cache that can be had: that of Memory, or what the client takes on its machine, or all of its
// memory; no more than the tables fill.
func (q *Question) most() int64 {
	all := max(q.Shape.Total().Bytes+q.Reserved, 2*q.least())
	if most := cmp.Or(q.Memory, q.Client.Most(q.MachineSize), q.MachineSize); most > 0 {
		return max(min(all, most), q.Present, q.least())
	}
	return all
}

// least returns the smallest cache to advise.
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
