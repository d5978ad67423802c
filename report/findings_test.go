package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"getio/record"
	"getio/report/study"
)

// TestFindingsOfTheReproductions: where runs went on until they were steady, that is
// what counts.
func TestFindingsOfTheReproductions(t *testing.T) {
	curves := study.New(reproduced(t)).Curves
	for i, want := range [][]string{
		{"About 2 I/Os per Get from 45.0 MiB (0.20% of the database) on: 1.969.", "About 1 I/O per Get from 210.0 MiB (0.91% of the database) on: 1.037.", "All 4 runs came to rest."},
		{"About 2 I/Os per Get from 452.0 MiB (0.20% of the database) on: 1.953.", "About 1 I/O per Get from 2.0 GiB (0.89% of the database) on: 1.066.", "All 4 runs came to rest."},
		{"About 2 I/Os per Get from 4.4 GiB (0.20% of the database) on: 1.955. No smaller cache was measured of which this can be told; a smaller one may do.",
			"No measured cache reaches about 1 I/O per Get; the closest is 17.6 GiB (0.79% of the database): 1.210.", "Both runs came to rest."},
	} {
		if got := Findings(curves[i]); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", curves[i].Name, got, want)
		}
	}
}

// TestFindingsListFewSizes: a sentence stays one however many runs there are.
func TestFindingsListFewSizes(t *testing.T) {
	var results []*record.Result
	for n := range 200 {
		r := drifting(-0.2)
		r.Cache.Bytes = int64(n+1) << 20
		results = append(results, r)
	}
	got := Findings(study.New(record.Readings{Results: results}).Curves[0])
	if want := "200 of 200 runs are not known to be steady: 1.0 MiB, 2.0 MiB, 3.0 MiB, 4.0 MiB, 5.0 MiB, 6.0 MiB, 7.0 MiB, 8.0 MiB and 192 more."; !slices.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMarkdownTablesAreWhole: each line of a table has as many cells as its header,
// and nothing is HTML, whatever the records say.
func TestMarkdownTablesAreWhole(t *testing.T) {
	for _, made := range []map[string]func() []*record.Result{sweeps, reproductions, hostileNames} {
		for name, results := range made {
			r := record.Readings{Results: results(), Predictions: predictions["twin"]()}
			for _, p := range r.Predictions {
				p.Method += "|<b>\n`"
			}
			r.Predictions[0].Method = "another | method"
			var out bytes.Buffer
			must(t, Markdown(&out, study.New(r)))
			if tag := regexp.MustCompile("<[^0-9.]").FindString(out.String()); tag != "" {
				t.Errorf("%s: HTML (%s) in\n%s", name, tag, out.String())
			}
			want := 0 // ends of cells, as in the header
			for line := range strings.Lines(out.String()) {
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
	}
}
