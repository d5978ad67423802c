package flagvalue

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWords(t *testing.T) {
	var choice, file string
	var choices, names []string
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	Choice(f, &choice, "choice", "a", []string{"a", "b"}, "")
	Choices(f, &choices, "choices", []string{"a", "b"}, "")
	Names(f, &names, "names", []string{"x", "y"}, "")
	File(f, &file, "file", "", "small")
	f.Bool("bool", false, "")
	for flag, want := range map[string][]string{
		"choice": {"a", "b"}, "choices": {"a", "b"}, "names": {"x", "y"}, "file": {"small"},
	} {
		words, how := f.Lookup(flag).Value.(completer).complete(nil, nil, "")
		assert.Equal(t, want, words, flag)
		assert.Equal(t, flag == "choices" || flag == "names", how&cobra.ShellCompDirectiveNoSpace > 0, flag)
	}
	assert.Equal(t, "a", choice, "default")
	assert.Error(t, f.Parse([]string{"--choice", "c"}))
	assert.Error(t, f.Parse([]string{"--choices", "a,c"}))
	require.NoError(t, f.Parse([]string{"--choices", "b,a", "--names", "x, z", "--file", "f"}))
	assert.Equal(t, []string{"b", "a"}, choices)
	assert.Equal(t, []string{"x", "z"}, names)
	assert.Equal(t, "f", file)
	require.NoError(t, f.Parse([]string{"--names", ""}))
	assert.Empty(t, names)
}

// TestTempDir checks that help does not show where this machine keeps temporary files.
func TestTempDir(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var to string
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	TempDir(f, &to, "disk", "directory for disks")
	assert.Equal(t, dir, to)
	assert.NotContains(t, f.FlagUsages(), dir)
	require.NoError(t, f.Parse([]string{"--disk", "elsewhere"}))
	assert.Equal(t, "elsewhere", to)
}
