package growth

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/numbers/published"
)

// TestMainnetMatchesPublishedFigures compares the tree with all published figures.
func TestMainnetMatchesPublishedFigures(t *testing.T) {
	want, err := published.MainnetSample()
	require.NoError(t, err)
	s, err := Mainnet(1)
	require.NoError(t, err)
	requireTree(t, s, uint64(s.Total().Records))
	total := s.Total()
	near := func(what string, got, want, within float64) {
		if math.Abs(got-want) > within*want {
			t.Errorf("%s: %.6g, published %.6g", what, got, want)
		}
	}
	near("keys", float64(total.Records), float64(want.Keys), 1e-9)
	near("tables", float64(total.Tables), float64(want.Tables), 2e-4)
	near("IP1", float64(s.IP1Bytes)/float64(total.Bytes), want.FilterTopShare, 0.01)
	near("IP2", float64(s.IP2Bytes)/float64(total.Bytes), want.FilterIndexShare, 0.01)
	first, last := s.Levels[0], s.Levels[len(s.Levels)-1]
	if first.Level != int(want.FirstLevel) || last.Level != int(want.LastLevel) || len(s.Levels) != 5 {
		t.Errorf("L%d to L%d, %d levels", first.Level, last.Level, len(s.Levels))
	}
	near("bytes of the first level", float64(first.Bytes), float64(want.FirstLevelBytes), 0.001)
	near("bytes of the last level", float64(last.Bytes), float64(want.LastLevelBytes), 0.001)
	for _, l := range s.Levels {
		t.Logf("L%d: %d tables, %d records, %d bytes", l.Level, l.Tables, l.Records, l.Bytes)
	}
}
