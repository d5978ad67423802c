package blockformat

import (
	"slices"
	"testing"
)

// TestBlockFooters: the number of restart points also says whether a block has a hash index, and whether its keys are
// uniform.
func TestBlockFooters(t *testing.T) {
	entry := []byte("\x00\x03\x05keyvalue")
	for _, footer := range []string{"\x01\x00\x00\x00", "\x01\x00\x00\x20", "\x09\x01\x00\x01\x00\x00\x80", "\x09\x01\x00\x01\x00\x00\xa0"} {
		var found []string
		err := EachEntry([]byte(string(entry)+"\x00\x00\x00\x00"+footer), func(key, value []byte) bool {
			found = append(found, string(key)+"="+string(value))
			return true
		})
		if err != nil || !slices.Equal(found, []string{"key=value"}) {
			t.Errorf("%x: %q, %v", footer, found, err)
		}
	}
}
