package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/internal/filecalls"
)

// disturbed are the cases that callCases has made.
var disturbed struct {
	sync.Mutex
	cases []*callCase
}

// callCases returns the commands whose calls fail: those that read databases and texts, loads, updates, and those
// that write records and other files.
func callCases(t *testing.T) []*callCase {
	t.Helper()
	disturbed.Lock()
	defer disturbed.Unlock()
	if disturbed.cases == nil {
		disturbed.cases = makeCallCases(t)
	}
	return disturbed.cases
}

func makeCallCases(t *testing.T) (cases []*callCase) {
	t.Helper()
	inputs := faultedInputs(t)
	for _, in := range inputs {
		for i := range in.commands {
			cases = append(cases, readingCase(t, in, i))
		}
	}
	for _, c := range loadCases(t) {
		cases = append(cases, loadingCase(c))
		if c.kind == "natural" {
			cases = append(cases, updatingCases(t, c)...)
		}
	}
	return append(cases, outputCases(t, inputs)...)
}

// readingCase is a command that reads an input.
func readingCase(t *testing.T, in *faulted, command int) *callCase {
	t.Helper()
	before, err := fingerprint(in.dir, false)
	require.NoError(t, err)
	return &callCase{
		name: in.name, command: in.commands[command],
		prepare: func(string) (dir, below string, err error) { return in.dir, in.dir, nil },
		judge: func(r *observed) (verdict, string) {
			after, err := fingerprint(in.dir, false)
			if err != nil {
				return changed, err.Error()
			}
			if d := firstDifference(before, after); d != "" {
				return changed, d
			}
			v, detail := r.ended()
			if v != unharmed || sameFigures(figuresOf(r.out, r.dir), in.whole[command]) {
				return v, detail
			}
			switch class := classOf(r.path); {
			case warns(r.out, r.errOut):
				return warned, ""
			case in.name == "text", class == "OPTIONS", class == "freezer index": // without checksums
				if r.failure.name == endsEarly.name || r.failure.name == isFlipped.name {
					return otherInput, ""
				}
			case class == "log" && r.failure.name == endsEarly.name:
				return otherInput, ""
			}
			figures := figuresOf(r.out, r.dir)
			switch too, err := in.givesToo(command, figures); {
			case err != nil:
				return crashed, err.Error()
			case too:
				return unharmed, ""
			}
			return different, figures + "undisturbed:\n" + in.whole[command]
		},
	}
}

// givesToo reports whether an undisturbed run gives the figures, too. RocksDB charges a block with what malloc returned
// for it. That depends on when threads run, so that an eviction comes earlier or later in some runs.
func (in *faulted) givesToo(command int, figures string) (bool, error) {
	if in.patience() == 1 {
		return false, nil
	}
	executor, err := exec.LookPath(executorName)
	if err != nil {
		return false, err
	}
	pass := func(*filecalls.Call) filecalls.Answer { return filecalls.Answer{} }
	for range 200 {
		if _, too := in.others[command].Load(figures); too {
			return true, nil
		}
		out, errOut, err := runWith(in.dir, in.commands[command], func(cmd *exec.Cmd) error {
			return filecalls.Run(executor, cmd, []filecalls.Kind{filecalls.Read}, pass)
		})
		if err != nil {
			return false, fmt.Errorf("%w: %s", err, errOut)
		}
		in.others[command].Store(figuresOf(out, in.dir), nil)
	}
	return false, nil
}

// reservedBytes matches what RocksDB's allocator has returned for what its cache reserves. That differs by a few
// bytes after a read that was made in two parts.
var reservedBytes = regexp.MustCompile(`"reserved_bytes":\d+`)

func sameFigures(a, b string) bool {
	return a == b || reservedBytes.ReplaceAllString(a, "") == reservedBytes.ReplaceAllString(b, "")
}

// loadingCase is a load.
func loadingCase(c *loadCase) *callCase {
	return &callCase{
		name: c.name, command: c.begin,
		prepare: func(empty string) (dir, below string, err error) {
			return filepath.Join(empty, "load"), empty, os.MkdirAll(empty, 0o755)
		},
		judge: func(r *observed) (verdict, string) {
			defer os.RemoveAll(r.below)
			v, detail := r.ended()
			switch {
			case v == unharmed && !c.complete(r.dir):
				return different, "it succeeded, and the directory does not say that it is complete"
			case v != unharmed && v != refused:
				return v, detail
			}
			recovered, detail := c.recover(r.dir)
			switch {
			case recovered.bad() && r.failure.name == isFlipped.name && strings.Contains(r.path, "/ancient/"):
				return otherInput, "" // the freezer's indexes have no checksum
			case recovered.bad():
				return different, fmt.Sprintf("%s: %s", recovered, detail)
			case recovered == turnedAway:
				return untidy, "it cannot be resumed: " + detail
			}
			return v, detail
		},
	}
}

// updatingCases are the commands that overwrite keys of a dataset, before or during the measurement.
func updatingCases(t *testing.T, load *loadCase) (cases []*callCase) {
	t.Helper()
	begin := slices.Clone(load.begin)
	for i, arg := range begin {
		begin[i] = strings.Replace(arg, "block_size=1KiB", "block_size=4KiB", 1) // fewer reads and writes
	}
	loaded, err := sharedRun("updatable "+load.name, begin)
	require.NoError(t, err)
	for _, how := range []struct{ name, flags string }{
		{"updated", "--update 3k --gets 100"}, {"updating", "--update-rate max --gets 1k"},
	} {
		cases = append(cases, &callCase{
			name:    strings.Replace(load.name, load.kind, how.name, 1),
			command: strings.Fields("measure DIR --cache 1MiB --warmup 100 --workers 1 --json " + how.flags),
			prepare: func(empty string) (dir, below string, err error) {
				dir = filepath.Join(empty, "updated")
				return dir, empty, os.CopyFS(dir, os.DirFS(loaded))
			},
			judge: func(r *observed) (verdict, string) {
				defer os.RemoveAll(r.below)
				v, detail := r.ended()
				if v.bad() {
					return v, detail
				}
				err := load.whole(r.dir)
				if v == unharmed && err == nil {
					err = checkUpdated(r.dir)
				}
				if err != nil {
					return different, err.Error()
				}
				return v, detail
			},
		})
	}
	return cases
}

// outputCases are the commands that write a file.
func outputCases(t *testing.T, inputs []*faulted) (cases []*callCase) {
	t.Helper()
	tree, err := sharedDataset("pebblev1")
	require.NoError(t, err)
	var records string
	for _, in := range inputs {
		if strings.HasPrefix(in.commands[0][0], "report") {
			records = in.dir
		}
	}
	for _, of := range []struct{ name, command string }{
		{"sweep --out", "sweep TREE --cache 1MiB,2MiB --gets 2k --warmup 500 --workers 1 --out DIR/out.jsonl"},
		{"compare --out", "compare TREE:label=a TREE:label=b --cache 1MiB --gets 2k --warmup 500 --workers 1 --rounds 2 --json --out DIR/out.jsonl"},
		{"report -o", "report RECORDS/records -o DIR/out.html"},
		{"report -o", "report RECORDS/records -o DIR/out.csv"},
		{"measure --record", "measure TREE --cache 1MiB --gets 2k --warmup 100 --workers 1 --json --record DIR/out.trace"},
		{"inspect --shape", "inspect TREE --shape DIR/out.shape"},
	} {
		command := strings.Fields(strings.NewReplacer("TREE", tree, "RECORDS", records).Replace(of.command))
		output := filepath.Base(command[len(command)-1])
		cases = append(cases, outputCase(t, of.name, command, output))
	}
	return cases
}

// outputCase is a command that writes a file into DIR. After a failure, the same command writes it.
func outputCase(t *testing.T, name string, command []string, output string) *callCase {
	t.Helper()
	undisturbed := t.TempDir()
	printed, notes, err := runOn(undisturbed, command)
	require.NoError(t, err, notes)
	printed = figuresOf(printed, undisturbed)
	want, err := outputFigures(undisturbed, output)
	require.NoError(t, err)
	return &callCase{
		name: name, command: command,
		prepare: func(empty string) (dir, below string, err error) { return empty, empty, os.MkdirAll(empty, 0o755) },
		judge: func(r *observed) (verdict, string) {
			defer os.RemoveAll(r.dir)
			// What was printed before the file could not be written stands: records of finished runs.
			if r.err != nil && strings.HasPrefix(printed, figuresOf(r.out, r.dir)) {
				r.out = ""
			}
			r.errOut = withoutLines(r.errOut, notes)
			v, detail := r.ended()
			got, err := outputFigures(r.dir, output)
			switch {
			case v == unharmed && (err != nil || got != want):
				return different, fmt.Sprintf("it succeeded, and wrote %q (%v), want %q", got, err, want)
			case v != refused, got == want:
				return v, detail
			case !strings.HasPrefix(want, got):
				return different, fmt.Sprintf("it left %q, want the beginning of %q", got, want)
			}
			_, errOut, err := runOn(r.dir, command)
			if got, e := outputFigures(r.dir, output); err != nil || e != nil || got != want {
				return different, fmt.Sprintf("made again, it wrote %q (%v, %v), want %q\n%s", got, err, e, want, errOut)
			}
			return v, detail
		},
	}
}

// withoutLines returns the lines of a text that are not in another.
func withoutLines(text, others string) string {
	var left strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(others, line) {
			left.WriteString(line)
		}
	}
	return left.String()
}

// outputFigures returns the figures of the complete lines of a file. Times of processors are none. Of a
// comparison, only the conclusions are compared: if one run of a round is missing, compare makes both again.
func outputFigures(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var lines strings.Builder
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		inRound := bytes.Contains(line, []byte(`"side":`)) && bytes.Contains(line, []byte(`"getio.result/1"`))
		if !inRound && !bytes.Contains(line, []byte(`"metric":"cpu_us_per_get"`)) {
			lines.Write(line)
		}
	}
	return figuresOf(lines.String(), dir), nil
}
