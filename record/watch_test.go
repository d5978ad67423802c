package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAccounted: each read of a process is in one place of its record.
func TestAccounted(t *testing.T) {
	w := &Watch{
		Databases: []*WatchedDatabase{{
			WatchedGets: WatchedGets{Reads: WatchedReads{Count: 1}},
			Causes:      []*WatchedCause{{Cause: CauseGet, WatchedReads: WatchedReads{Count: 1}}, {Cause: CauseIterator, WatchedReads: WatchedReads{Count: 2, Prefetches: 4}}},
		}},
		Files:  []*WatchedFiles{{WatchedReads: WatchedReads{Count: 8, Prefetches: 16}}},
		Losses: WatchLosses{LostReads: 32, UncountedReads: 64, UnbegunReads: 128, UnownedReads: 256, UnownedOther: 512, UnmappedReads: 1},
	}
	assert.EqualValues(t, 1023, w.Accounted())
	w.Losses.AllReads = 1e6
	assert.False(t, w.FewLosses(), "reads by Gets that were not seen to begin")
}
