package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

func result(cache int64) *Result {
	return &Result{Schema: ResultSchema, Cache: Cache{Bytes: cache}}
}

// TestForeignLines: records of other schemas are skipped; garbage is an error.
func TestForeignLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	write(t, path, `{"schema":"getio.prediction/1"}`+"\n"+`{"schema":"getio.result/1","cache":{"bytes":7}}`+"\n")
	checkCaches(t, path, 7)
	write(t, path, `{"schema":"getio.result/1"}`+"\nnonsense\n")
	_, err := readKind[Result](path, ResultSchema)
	assert.ErrorContains(t, err, "line 2")
}

func checkCaches(t *testing.T, path string, want ...int64) {
	t.Helper()
	got, err := readKind[Result](path, ResultSchema)
	require.NoError(t, err)
	require.True(t, slices.EqualFunc(got, want, func(r *Result, bytes int64) bool { return r.Cache.Bytes == bytes }), "results %+v, want caches %v", got, want)
}

// A process with the first of these in its environment appends records to that file for some time, which the second one
// changes.
const (
	appendEnv    = "GETIO_TEST_APPEND"
	appendForEnv = "GETIO_APPEND_FOR"
)

func TestMain(m *testing.M) {
	path := os.Getenv(appendEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	first, _ := strconv.ParseInt(os.Args[1], 10, 64)
	length, err := time.ParseDuration(cmp.Or(os.Getenv(appendForEnv), "2s"))
	n := int64(0)
	for began := time.Now(); err == nil && time.Since(began) < length; n++ {
		err = Append(path, result(first+n))
	}
	if err != nil {
		panic(err)
	}
	fmt.Print(n)
}

// TestProcessesAppend: several processes append to one file, and every record is there. One before them was interrupted.
func TestProcessesAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	write(t, path, `{"schema":"getio.re`)
	self, err := os.Executable()
	require.NoError(t, err)
	var group errgroup.Group
	const each = 1 << 32 // more than a process appends
	var appended [8]int64
	for p := range appended {
		group.Go(func() error {
			cmd := exec.Command(self, strconv.Itoa(p*each))
			cmd.Env = append(os.Environ(), appendEnv+"="+path)
			out, err := cmd.CombinedOutput()
			if err == nil {
				appended[p], err = strconv.ParseInt(string(out), 10, 64)
			}
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	text, err := os.ReadFile(path) // may have more records than are read at a time
	require.NoError(t, err)
	var next [len(appended)]int64
	for line := range bytes.Lines(text) { // those of a process are in its order
		var r Result
		require.NoError(t, json.Unmarshal(line, &r))
		p := r.Cache.Bytes / each
		require.Equal(t, p*each+next[p], r.Cache.Bytes)
		next[p]++
	}
	t.Logf("records of the processes: %v", appended)
	assert.Equal(t, appended, next)
}

// TestEndOfLines: the end is found wherever the file is cut into parts.
func TestEndOfLines(t *testing.T) {
	for _, c := range []struct {
		lines, rest int
	}{{0, 0}, {0, 5}, {1, 0}, {1, 1}, {3, 200_000}, {200_000, 0}, {65_536, 1}, {65_535, 65_536}} {
		path := filepath.Join(t.TempDir(), "f")
		text := strings.Repeat("x", max(c.lines-1, 0))
		if c.lines > 0 {
			text += "\n"
		}
		write(t, path, text+strings.Repeat("y", c.rest))
		f, err := os.Open(path)
		require.NoError(t, err)
		end, err := endOfLines(f)
		f.Close()
		require.NoError(t, err)
		assert.EqualValues(t, c.lines, end, "%+v", c)
	}
}
