package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSet reads arbitrary records. Those that are accepted are accepted again when they are
// written.
func FuzzSet(f *testing.F) {
	files, err := filepath.Glob("../../results/*.jsonl")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, path := range files {
		file, err := os.Open(path)
		require.NoError(f, err)
		first, err := bufio.NewReader(file).ReadBytes('\n')
		require.NoError(f, err)
		file.Close()
		f.Add(first)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Set()
		if s.Read("fuzzed", bytes.NewReader(text)) != nil {
			return
		}
		s.Checks()
		for _, r := range s.Results {
			requireAccepted(t, r)
		}
		for _, r := range s.Chains {
			requireAccepted(t, r)
		}
		for _, r := range s.Comparisons {
			requireAccepted(t, r)
		}
	})
}

func requireAccepted(t *testing.T, r any) {
	t.Helper()
	line, err := json.Marshal(r)
	require.NoError(t, err)
	s := Set()
	require.NoError(t, s.Read("written", bytes.NewReader(line)), "%s", line)
}
