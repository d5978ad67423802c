package ondisk

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb/journal"
)

// FuzzEachRecord reads arbitrary log files. What is read is read again from a log of its own.
func FuzzEachRecord(f *testing.F) {
	f.Add(logOf(f, [][]byte{[]byte("one"), {}, bytes.Repeat([]byte("long"), 20_000)}))
	f.Add([]byte{0, 0, 0, 0, 1, 0, 1, 'x'})
	f.Fuzz(func(t *testing.T, log []byte) {
		records, err := recordsOf(t, log)
		if err != nil {
			return
		}
		again, err := recordsOf(t, logOf(t, records))
		require.NoError(t, err)
		assert.Equal(t, records, again)
	})
}

func logOf(t testing.TB, records [][]byte) []byte {
	var log bytes.Buffer
	w := journal.NewWriter(&log)
	for _, r := range records {
		one, err := w.Next()
		require.NoError(t, err)
		_, err = one.Write(r)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return log.Bytes()
}

func recordsOf(t testing.TB, log []byte) (records [][]byte, err error) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, log, 0o644))
	_, err = EachRecord(path, func(r []byte) error {
		records = append(records, slices.Clone(r))
		return nil
	})
	return records, err
}

// FuzzOptions reads arbitrary OPTIONS files. Each option that is found stands in the file.
func FuzzOptions(f *testing.F) {
	f.Add([]byte("[Version]\n  pebble_version=0.1\n\n[Options]\n  comparer=leveldb.BytewiseComparator\n[Level \"0\"]\n  block_size=4096\n"))
	f.Add([]byte("[\n=\n[]x=y"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "OPTIONS-000001")
		require.NoError(t, os.WriteFile(path, text, 0o644))
		options, err := Options(path)
		require.NoError(t, err)
		for key, value := range options {
			assert.Contains(t, string(text), value)
			assert.True(t, standsIn(string(text), key), "%q of %q", key, text)
		}
	})
}

// standsIn reports whether an option's section and name, which may have dots, stand in the text.
func standsIn(text, option string) bool {
	for i := range option {
		if option[i] == '.' && strings.Contains(text, "["+option[:i]) && strings.Contains(text, option[i+1:]) {
			return true
		}
	}
	return strings.HasPrefix(option, ".") && strings.Contains(text, option[1:]) // before the first section
}
