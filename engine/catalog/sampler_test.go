package catalog

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDrawnKeysBelongToTheCaller: absent keys are made of drawn ones by changing these, and keys of the write-ahead log
// are in memory for later draws.
func TestDrawnKeysBelongToTheCaller(t *testing.T) {
	log := Log{"deleted": Deletes, "set": Sets}
	s, err := newSampler(nil, log.set(), false)
	require.NoError(t, err)
	defer s.Close()
	for range 2 {
		keys, err := s.Draw(t.Context(), []func() uint64{rand.Uint64})
		require.NoError(t, err)
		assert.Equal(t, "set", string(keys[0]))
		clear(keys[0])
	}
}
