package machine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReclaimed(t *testing.T) {
	const vmstat = "nr_free_pages 7\npgsteal_kswapd 100\npgsteal_direct 20\npgsteal_proactive 5\npgsteal_khugepaged 3\npgscan_kswapd 900\n"
	pages, err := reclaimed(strings.NewReader(vmstat))
	require.NoError(t, err)
	assert.Equal(t, int64(123), pages)
	_, err = reclaimed(strings.NewReader("pgsteal_direct x\n"))
	assert.ErrorContains(t, err, "pgsteal_direct x")
	_, err = reclaimed(strings.NewReader("pgsteal_direct 20\n"))
	assert.ErrorContains(t, err, "pgsteal_kswapd is missing")
	before, err := Reclaimed()
	require.NoError(t, err)
	after, err := Reclaimed()
	require.NoError(t, err)
	assert.GreaterOrEqual(t, after, before)
}
