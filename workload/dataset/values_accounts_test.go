package dataset

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAccountsAreAccounts has geth decode accounts and encode them again.
func TestAccountsAreAccounts(t *testing.T) {
	values := mustValues(t, ValuesAccounts, AccountSize, 5)
	codes := map[string]bool{}
	for i := range uint64(1000) {
		value := values.Updated(i, i%3, nil)
		var account types.StateAccount
		require.NoError(t, rlp.DecodeBytes(value, &account))
		again, err := rlp.EncodeToBytes(&account)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(value, again), "%x is encoded again as %x", value, again)
		assert.Equal(t, types.EmptyRootHash, account.Root)
		codes[string(account.CodeHash)] = true
	}
	assert.Len(t, codes, 1000)
}
