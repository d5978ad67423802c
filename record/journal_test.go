package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJournalResumes: a second command reads what the first one kept, and adds the rest.
func TestJournalResumes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	for run := range int64(3) {
		j := Journal{Path: path, Runs: "sizes", Total: 3}
		done, err := j.Results()
		if err != nil || len(done) != int(run) {
			t.Fatalf("run %d resumes from %d records, %v", run, len(done), err)
		}
		for _, r := range done {
			require.NoError(t, j.Finish(r, false))
		}
		if err := j.Finish(result(run), true); err != nil || j.Finished() != int(run)+1 {
			t.Fatalf("%d finished, %v", j.Finished(), err)
		}
	}
	checkCaches(t, path, 0, 1, 2)
}

func TestJournalWithoutFile(t *testing.T) {
	j := Journal{Runs: "runs", Total: 2}
	done, err := j.Results()
	if err == nil {
		err = errors.Join(j.Finish(result(1), true), j.AddMissing(result(1)))
	}
	if err != nil || len(done) != 0 || j.Finished() != 1 {
		t.Errorf("%d records, %d finished, %v", len(done), j.Finished(), err)
	}
}

// TestJournalAddsMissing: records that follow from runs are added once. A last line that an
// interruption cut short is neither read nor kept.
func TestJournalAddsMissing(t *testing.T) {
	j := Journal{Path: filepath.Join(t.TempDir(), "runs.jsonl")}
	for range 2 {
		for i := range int64(2) {
			require.NoError(t, j.AddMissing(result(i)))
		}
	}
	checkCaches(t, j.Path, 0, 1)
	f, err := os.OpenFile(j.Path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	fmt.Fprint(f, `{"schema":"getio.result/1","cache":`)
	f.Close()
	checkCaches(t, j.Path, 0, 1)
	require.NoError(t, errors.Join(j.Check(), j.AddMissing(result(2)), j.AddMissing(result(2))))
	checkCaches(t, j.Path, 0, 1, 2)
}

// TestJournalRefusesFile: before the first run is made, not after it.
func TestJournalRefusesFile(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	write(t, text, "notes")
	for path, want := range map[string]string{
		dir:                             "not a regular file",
		filepath.Join(dir, "none", "o"): "no such file",
		filepath.Join(text, "o"):        "not a directory",
		text:                            "its last line has no end and is not a record",
		filepath.Join(dir, "new.jsonl"): "",
		"":                              "",
	} {
		_, err := (&Journal{Path: path}).Results()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--out")) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
}

// TestJournalUnreadableFile: errors of reading name the file and say what to do.
func TestJournalUnreadableFile(t *testing.T) {
	dir := t.TempDir()
	assert.ErrorContains(t, (&Journal{Path: dir}).AddMissing(result(1)), "cannot add records to "+dir+" (")
	_, err := readKind[Result](dir, ResultSchema)
	assert.ErrorContains(t, err, dir+" cannot be read (")
}

// TestJournalFullDisk: a record that cannot be added is an error that names the file.
func TestJournalFullDisk(t *testing.T) {
	j := Journal{Path: "/dev/full/o"}
	for _, err := range []error{j.Finish(result(1), true), (&Journal{Path: t.TempDir()}).Finish(result(1), true)} {
		if err == nil || !strings.Contains(err.Error(), "cannot add a record to ") || !strings.Contains(err.Error(), "--out") {
			t.Error(err)
		}
	}
	assert.Zero(t, j.Finished(), "a run whose record was lost counts as finished")
}

// TestJournalReused: only runs that were not made count.
func TestJournalReused(t *testing.T) {
	j := Journal{Path: filepath.Join(t.TempDir(), "o"), Runs: "cache sizes", Total: 3}
	require.NoError(t, j.Finish(result(1), true))
	assert.Empty(t, j.Reused())
	require.NoError(t, errors.Join(j.Finish(result(2), false), j.Finish(result(3), false)))
	assert.Equal(t, "2 of 3 cache sizes are taken from "+j.Path+", measured before", j.Reused())
}

func TestJournalUnfinished(t *testing.T) {
	broken := errors.New("table is damaged")
	for _, c := range []struct {
		finished int
		out      bool
		err      error
		want     string
	}{
		{0, true, context.Canceled, "interrupted: none of 3 sizes was finished"},
		{0, true, broken, "table is damaged"},
		{2, true, context.Canceled, "interrupted: 2 of 3 sizes are kept in OUT: run the same command again to resume"},
		{2, true, broken, "table is damaged (2 of 3 sizes are kept in OUT: run the same command again to resume)"},
		{2, false, fmt.Errorf("reading: %w", context.Canceled), "interrupted: 2 of 3 sizes were finished and none is kept: add --out FILE to be able to resume"},
		{2, false, broken, "table is damaged (2 of 3 sizes were finished and none is kept: add --out FILE to be able to resume)"},
	} {
		j := Journal{Runs: "sizes", Total: 3}
		if c.out {
			j.Path = filepath.Join(t.TempDir(), "o")
		}
		for i := range c.finished {
			require.NoError(t, j.Finish(result(int64(i)), true))
		}
		err := j.Unfinished(c.err)
		if want := strings.ReplaceAll(c.want, "OUT", j.Path); err.Error() != want || !errors.Is(err, c.err) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestJournalLinkOfAnotherUser: records are not added to what a link of another user leads to.
func TestJournalLinkOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make links of other users")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	write(t, path, "")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, os.Lchown(link, 65534, 65534))
	j := Journal{Path: link}
	for _, err := range []error{j.Check(), j.AddMissing(result(1)), j.Finish(result(1), true)} {
		assert.ErrorContains(t, err, "it is a symbolic link of another user")
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Empty(t, text)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
