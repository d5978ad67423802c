package ondisk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewerTables(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"000003.sst", "000007.sst", "000012.sst", "000013.ldb", "000020.log", "MANIFEST-000030", "x.sst"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	for _, c := range []struct {
		listed []string
		want   int
	}{
		{nil, 4},
		{[]string{"000003.sst"}, 3},
		{[]string{"000012.sst", "000003.sst"}, 1}, // 7 is older: it was replaced
		{[]string{"elsewhere/000013.ldb"}, 0},
	} {
		got, err := NewerTables(dir, c.listed)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%v", c.listed)
	}
	_, err := NewerTables(filepath.Join(dir, "none"), nil)
	assert.ErrorContains(t, err, "does not exist")
}
