package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/report/study"
)

// TestFindingsOfTheReproductions: continued runs count with their last figure.
func TestFindingsOfTheReproductions(t *testing.T) {
	curves := study.New(reproduced(t)).Curves
	for i, want := range [][]string{
		{"About 2 I/Os per Get from 45.0 MiB (0.20% of the database) on: 1.969.", "About 1 I/O per Get from 210.0 MiB (0.91% of the database) on: 1.037.", "All 4 runs became steady."},
		{"About 2 I/Os per Get from 452.0 MiB (0.20% of the database) on: 1.953.", "About 1 I/O per Get from 2.0 GiB (0.89% of the database) on: 1.066.", "All 4 runs became steady."},
		{"About 2 I/Os per Get from 4.4 GiB (0.20% of the database) on: 1.955. It is the smallest that was measured long enough to tell; a smaller one may do.",
			"No measured cache reaches about 1 I/O per Get; the closest is 17.6 GiB (0.79% of the database): 1.210.", "Both runs became steady."},
	} {
		if got := Findings(curves[i]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", curves[i].Name, got, want)
		}
	}
}

// TestFindingsListFewSizes: a sentence does not grow with the number of runs.
func TestFindingsListFewSizes(t *testing.T) {
	var results []*record.Result
	for n := range 200 {
		results = append(results, result(t, fmt.Sprintf(`{"cache":{"bytes":%d},"ios_per_get":{"steady":false,"drift":-0.2}}`, (n+1)<<20)))
	}
	got := Findings(study.New(record.Set{Results: results}).Curves[0])
	if want := "200 of 200 runs are not known to be steady: 1.0 MiB, 2.0 MiB, 3.0 MiB, 4.0 MiB, 5.0 MiB, 6.0 MiB, 7.0 MiB, 8.0 MiB and 192 more."; !slices.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMarkdownTablesAreWhole: each line of a table has as many cells as its header, and
// nothing is HTML, whatever is in the records. The runs are those of all golden files.
func TestMarkdownTablesAreWhole(t *testing.T) {
	predictions := input{t, `prediction predicted {"method":"another | method|<b>\n` + "`" + `"}` + "\n" + `prediction predicted {"method":"twin|<b>\n` + "`" + `"}`}
	tables := 0
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			r := record.Set{Results: all[record.Result](input{t, d.Input}, "result"), Predictions: all[record.Prediction](predictions, "prediction")}
			if len(r.Results) > 0 {
				var out bytes.Buffer
				require.NoError(t, Markdown(&out, study.New(r)))
				requireWholeTables(t, d.Pos+" "+d.Cmd, out.String())
				tables++
			}
			return d.Expected
		})
	})
	assert.GreaterOrEqual(t, tables, 20)
}

func requireWholeTables(t *testing.T, name, text string) {
	t.Helper()
	assert.Empty(t, regexp.MustCompile("<[^0-9.]").FindString(text), "%s: HTML in %s", name, text)
	want := 0 // ends of cells, as in the header
	for line := range strings.Lines(text) {
		cells := strings.Count(line, "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			want = 0
		case want == 0:
			if want = cells; want < 11 {
				t.Errorf("%s: a header of %d ends of cells: %s", name, cells, line)
			}
		case cells != want:
			t.Errorf("%s: %d ends of cells, want %d, in %s", name, cells, want, line)
		}
	}
}
