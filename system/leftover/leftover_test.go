package leftover

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRemove: what is left is removed once, the newest first, and nothing can be created afterwards.
func TestRemove(t *testing.T) {
	defer func() { creating.Unlock() }()
	var removed []string
	failed := errors.New("failed")
	make := func(name string, err error) *Thing {
		thing, e := Create(func() (func() error, error) {
			return func() error { removed = append(removed, name); return err }, nil
		})
		require.NoError(t, e)
		return thing
	}
	own, kept := make("own", nil), make("kept", nil)
	make("first", failed)
	make("last", nil)
	require.NoError(t, own.Remove())
	kept.Keep()
	_, err := Create(func() (func() error, error) { return nil, failed })
	assert.ErrorIs(t, err, failed)
	assert.True(t, Any())

	assert.ErrorIs(t, Remove(), failed)
	assert.Equal(t, []string{"own", "last", "first"}, removed)
	assert.False(t, Any())
	assert.NoError(t, own.Remove())
	assert.Len(t, removed, 3)
	assert.False(t, creating.TryRLock(), "something can still be created")
}
