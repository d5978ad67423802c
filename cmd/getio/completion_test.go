package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCompletions completes the word in the input behind a command. Its last line names what the
// shell does besides: 0 completes files, 4 nothing, 6 nothing and no space, 8 files with these
// extensions, 16 directories.
func TestCompletions(t *testing.T) {
	datadriven.RunTest(t, "testdata/completions", func(t *testing.T, d *datadriven.TestData) string {
		var args []string
		for _, a := range d.CmdArgs {
			args = append(args, a.String())
		}
		offered, directive := complete(t, append(args, d.Input)...)
		return strings.Join(append(offered, directive), "\n") + "\n"
	})
}

func TestCompletionCommand(t *testing.T) {
	for _, shell := range shells {
		var out bytes.Buffer
		require.Zero(t, run([]string{"getio", "completion", shell}, nil, &out, &out))
		first, _, _ := strings.Cut(out.String(), "\n")
		assert.Regexp(t, "(# "+shell+" completion.* for|#compdef) getio", first)
	}
	for _, args := range [][]string{{"getio", "completion"}, {"getio", "completion", "tcsh"}, {"getio", "completion", "bash", "zsh"}} {
		var out bytes.Buffer
		assert.Equal(t, exitMisused, run(args, nil, &out, &out))
		assert.Equal(t, "getio: getio completion takes the name of a shell: bash, fish or zsh\n", out.String())
	}
}

func TestManualRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"man":          "getio: getio man takes one directory, not 0 arguments: see 'getio man --help'\n",
		"man a b":      "getio: getio man takes one directory, not 2 arguments: see 'getio man --help'\n",
		"man /no/such": "getio: cannot write the manual pages (/no/such/getio.1: no such file or directory): make the directory, or name another one\n",
	} {
		var out bytes.Buffer
		assert.NotZero(t, run(append([]string{"getio"}, strings.Fields(args)...), nil, &out, &out))
		assert.Equal(t, want, out.String())
	}
}
