package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// TestNoControlCharacters: what a directory, a column family or a comparer is called does not control the terminal.
func TestNoControlCharacters(t *testing.T) {
	const hostile = "a\x1b[2J\x1b]0;title\a\u009b31mb\r\tc"
	in := record.Inspection{Files: hostile, Engine: record.Engine{Name: "rocksdb"}, Comparer: hostile, Families: []record.Family{{Name: hostile}, {Name: "default"}}}
	var out strings.Builder
	require.NoError(t, Inspect(&out, &in))
	assert.NotContains(t, strings.ReplaceAll(out.String(), "\n", ""), "\x1b")
	assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f]|\x{9b}`, out.String())
	assert.Contains(t, out.String(), "title")
}
