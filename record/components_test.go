package record

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine/readpath"
)

// TestEstimatedHitRates: estimated accesses may be fewer than the misses; the hit rate is
// then 0, in new records and in old ones. An exact rate below 0 stays, as an error to see.
func TestEstimatedHitRates(t *testing.T) {
	var reads readpath.Reads
	var accesses readpath.Accesses
	reads.Count[readpath.Index], accesses.Count[readpath.Index] = 1001, 1000
	for _, c := range []struct {
		exact bool
		old   string
		want  float64
	}{
		{false, `{"misses":1001,"hit_rate":-0.001,"split":"estimated"}`, 0},
		{true, `{"misses":1001,"hit_rate":-0.001,"split":"exact"}`, -0.001},
	} {
		accesses.SplitExact = c.exact
		assert.Equal(t, c.want, *Components(reads, accesses)["index"].HitRate, "exact %v", c.exact)
		var old Component
		if err := json.Unmarshal([]byte(c.old), &old); err != nil || *old.HitRate != c.want || old.Misses != 1001 {
			t.Errorf("%s: %+v, %v", c.old, old, err)
		}
	}
}
