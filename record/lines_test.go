package record

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// appendEnv names the file to which the test binary, as another process, appends records.
const appendEnv = "GETIO_TEST_APPEND"

func TestMain(m *testing.M) {
	if path := os.Getenv(appendEnv); path != "" {
		first, _ := strconv.ParseInt(os.Args[1], 10, 64)
		for i := range int64(appended) {
			if err := Append(path, result(first+i)); err != nil {
				panic(err)
			}
		}
		return
	}
	os.Exit(m.Run())
}

// appended is how many records each process appends.
var appended = 200

// TestProcessesAppend: several processes append to one file, and every record is there. One before them was interrupted.
func TestProcessesAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	write(t, path, `{"schema":"getio.re`)
	self, err := os.Executable()
	require.NoError(t, err)
	var group errgroup.Group
	const processes = 8
	for p := range processes {
		group.Go(func() error {
			cmd := exec.Command(self, strconv.Itoa(p*appended))
			cmd.Env = append(os.Environ(), appendEnv+"="+path)
			out, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	all, err := readKind[Result](path, ResultSchema)
	require.NoError(t, err)
	seen := map[int64]bool{}
	for _, r := range all {
		seen[r.Cache.Bytes] = true
	}
	assert.Len(t, all, processes*appended)
	assert.Len(t, seen, processes*appended)
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
