package ondisk

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBytes requires that only a file that is gone takes no bytes.
func TestBytes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "1.log"), make([]byte, 7), 0o644))
	sum, err := Bytes(dir, []string{"1.log", "2.log"})
	require.NoError(t, err)
	assert.EqualValues(t, 7, sum)
	_, err = Bytes(dir, []string{"1.log", strings.Repeat("x", 300)})
	assert.ErrorIs(t, err, syscall.ENAMETOOLONG)
}
