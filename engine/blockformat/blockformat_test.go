package blockformat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBlockFooters: the number of restart points also says whether a block has a hash index, and whether its keys are
// uniform.
func TestBlockFooters(t *testing.T) {
	entry := []byte("\x00\x03\x05keyvalue")
	for _, footer := range []string{"\x01\x00\x00\x00", "\x01\x00\x00\x20", "\x09\x01\x00\x01\x00\x00\x80", "\x09\x01\x00\x01\x00\x00\xa0"} {
		var found []string
		for e, err := range All([]byte(string(entry) + "\x00\x00\x00\x00" + footer)) {
			found = append(found, string(e.Key)+"="+string(e.Value))
			require.NoError(t, err, "%x", footer)
		}
		assert.Equal(t, []string{"key=value"}, found, "%x", footer)
	}
}
