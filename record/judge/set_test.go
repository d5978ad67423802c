package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// TestSet reads files of records:
//
//	line NAME     the input, without its line ends, is a record to begin from
//	file          reads the input, in which a line $NAME stands for a record
//	change NAME   reads the record "result", then NAME with each OLD => NEW replaced once
//	absent        reads a file that does not exist
//
// "more" adds to the set before; "cut" leaves the last line without its end.
func TestSet(t *testing.T) {
	for _, name := range []string{"set", "comparisons"} {
		records := map[string]string{}
		set := Set()
		datadriven.RunTest(t, "testdata/"+name, func(t *testing.T, d *datadriven.TestData) string {
			path := filepath.Join(t.TempDir(), "records.jsonl")
			content := d.Input + "\n"
			switch d.Cmd {
			case "line":
				line := strings.ReplaceAll(d.Input, "\n", "")
				records[d.CmdArgs[0].Key] = line
				var kind struct{ Schema string }
				json.Unmarshal([]byte(line), &kind)
				return kind.Schema
			case "file":
				for name, line := range records {
					content = strings.ReplaceAll(content, "$"+name+"\n", line+"\n")
				}
				if d.HasArg("cut") {
					content = strings.TrimSuffix(content, "\n")
				}
			case "change":
				content = records["result"] + "\n" + changed(t, records[d.CmdArgs[0].Key], d.Input) + "\n"
			}
			if d.Cmd != "absent" {
				write(t, path, content)
			}
			if !d.HasArg("more") {
				set = Set()
			}
			if err := set.ReadFile(path); err != nil {
				return strings.ReplaceAll(err.Error(), path, "FILE")
			}
			if states, err := (&record.Journal{Path: path}).States(); err != nil || !reflect.DeepEqual(states, set.States) {
				t.Errorf("states alone: %v, %v", states, err)
			}
			return describe(&set)
		})
	}
}

// changed returns a line with parts of it replaced, one per line of changes.
func changed(t *testing.T, line, changes string) string {
	t.Helper()
	for change := range strings.Lines(changes) {
		from, to, _ := strings.Cut(strings.TrimSuffix(change, "\n"), " =>")
		require.Contains(t, line, from)
		line = strings.Replace(line, from, strings.TrimSpace(to), 1)
	}
	return line
}

// describe lists the records of a set by kind, with a figure of each.
func describe(s *record.Set) string {
	var b strings.Builder
	for _, r := range s.Results {
		fmt.Fprintf(&b, "result %v\n", r.IOsPerGet.Mean)
	}
	for _, p := range s.Predictions {
		fmt.Fprintln(&b, "prediction", p.Source)
	}
	for _, c := range s.Chains {
		fmt.Fprintln(&b, "chain", c.Reads.Mean)
	}
	for _, l := range s.Level0s {
		fmt.Fprintln(&b, "L0", len(l.Rows))
	}
	for _, state := range s.States {
		cold := state.Rows[0].Cold
		fmt.Fprintln(&b, "state", cold.Reads)
		if cold.CI95 != nil {
			fmt.Fprintln(&b, "interval", *cold.CI95)
		}
	}
	for _, c := range s.Comparisons {
		fmt.Fprintln(&b, "comparison", c.Verdict)
	}
	checks := s.Checks()
	fmt.Fprintf(&b, "%d lines, %d checks, %d failed\n", len(s.Lines), len(checks), len(checks.Failed()))
	return b.String()
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}
