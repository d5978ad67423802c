package chart

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/report/study"
)

// Files of records, for studyOf.
var (
	// reproductions are getio's own runs of the published study.
	reproductions = []string{"../../results/small.jsonl", "../../results/medium.jsonl", "../../results/large.jsonl"}
	// singles are a sweep with distributions and latencies of single Gets.
	singles = []string{"testdata/single.jsonl"}
	// clients are a client's operations and tables of L0 on a small chain, and getio's own
	// runs of state databases.
	clients = []string{"testdata/client.jsonl", "../../results/states.jsonl", "../../results/states-growth.jsonl"}
	// comparisons are two versions of a library, and iterators, in alternating runs on one
	// small tree.
	comparisons = []string{"testdata/compared.jsonl"}
)

func studyOf(t *testing.T, paths []string) *study.Study {
	t.Helper()
	r, err := record.ReadFiles(paths...)
	require.NoError(t, err)
	return study.New(r)
}

// TestReadsAddUp: the points of a line of reads add up to the I/Os per Get.
func TestReadsAddUp(t *testing.T) {
	s := studyOf(t, singles)
	lines := chartOf(s, "reads").Lines
	for n, l := range lines {
		var sum float64
		for _, p := range l.Points[1:] {
			sum += p.Y
		}
		if want := s.Curves[0].Runs[n].IOsPerGet.Mean; math.Abs(sum-want) > 1e-9 || l.Points[0].Y != 1 {
			t.Errorf("%s: %v I/Os per Get, want %v", l.Name, sum, want)
		}
	}
	assert.NotZero(t, len(lines), "there is no chart of reads")
}

// TestBlobsAreCharted: values that were read from blob files are a line of the chart of reads by component.
func TestBlobsAreCharted(t *testing.T) {
	s := studyOf(t, singles)
	for _, r := range s.Curves[0].Runs {
		r.Components["blob"] = record.Component{Misses: r.Workload.Gets / 2}
	}
	lines := chartOf(s, "misses").Lines
	at := slices.IndexFunc(lines, func(l Line) bool { return l.Name == "values in blob files" })
	require.GreaterOrEqual(t, at, 0)
	for _, p := range lines[at].Points {
		assert.Equal(t, 0.5, p.Y)
	}
}

// TestCharts prints every chart of the reproductions and of a prediction as CSV.
func TestCharts(t *testing.T) {
	datadriven.RunTest(t, "testdata/charts", func(t *testing.T, d *datadriven.TestData) string {
		var paths []string
		for _, arg := range d.CmdArgs {
			paths = append(paths, arg.Key)
		}
		var out bytes.Buffer
		for _, c := range All(studyOf(t, paths)) {
			out.WriteString("# " + c.Name + ": " + c.Title + "\n")
			for _, m := range c.Marks {
				out.WriteString("# " + m.Name + " at " + number(&m.X) + "\n")
			}
			if c.Name != "windows" { // too long to look at
				if err := c.WriteCSV(&out); err != nil {
					d.Fatalf(t, "%v", err)
				}
			}
		}
		return out.String()
	})
}

// TestPointsAreTheRecords compares the charts with the records, field by field.
func TestPointsAreTheRecords(t *testing.T) {
	s := studyOf(t, reproductions)
	all := All(s)
	for i, curve := range s.Curves {
		for _, r := range curve.Runs {
			x := float64(r.Cache.Bytes)
			want := func(chart string, kind Kind, y float64) {
				t.Helper()
				if got := find(all, chart, kind, i, x); math.Abs(got-y) > 1e-12 {
					t.Errorf("%s, %s of %s at %g: %v, want %v", chart, kind, curve.Name, x, got, y)
				}
			}
			want("ios", Measured, r.IOsPerGet.Mean)
			if published, known := r.PublishedIOs(); known {
				want("ios", Published, published)
			} else if r.Published != nil {
				t.Errorf("%s at %g: nothing published", curve.Name, x)
			}
			want("index-hit", Measured, *r.Components["index"].HitRate)
			want("cache-hit", Measured, *r.Cached.HitRate)
			if n := len(r.Continued); n > 0 {
				want("ios", Continued, r.Continued[n-1].IOsPerGet.Mean)
				want("cache-hit", Continued, *r.Continued[n-1].Cached.HitRate)
			}
		}
	}
}

func find(all []Chart, name string, kind Kind, curve int, x float64) float64 {
	for _, c := range all {
		for _, l := range c.Lines {
			if c.Name != name || l.Kind != kind || l.Curve == nil || *l.Curve != curve {
				continue
			}
			for _, p := range l.Points {
				if p.X == x {
					return p.Y
				}
			}
		}
	}
	return math.NaN()
}

// TestMissesAddUp: the stacked lines add up to the I/Os per Get.
func TestMissesAddUp(t *testing.T) {
	s := studyOf(t, reproductions)
	all := All(s)
	seen := 0
	for _, c := range all {
		if c.Name != "misses" {
			continue
		}
		for n, r := range s.Curves[*c.Curve].Runs {
			var sum float64
			for _, l := range c.Lines {
				sum += l.Points[n].Y
			}
			if math.Abs(sum-r.IOsPerGet.Mean) > 1e-9 {
				t.Errorf("%s at %d bytes: %v, want %v", c.Title, r.Cache.Bytes, sum, r.IOsPerGet.Mean)
			}
			seen++
		}
	}
	assert.GreaterOrEqual(t, seen, 8)
}

// TestNoFigureOfAFailedRun: no chart shows a run whose self-checks failed.
func TestNoFigureOfAFailedRun(t *testing.T) {
	r, err := record.ReadFiles(reproductions[0])
	require.NoError(t, err)
	for _, result := range r.Results {
		result.Checks[0].OK = false
	}
	assert.Empty(t, All(study.New(r)))
}

// TestEveryChartHasAName: Names lists exactly the charts that exist.
func TestEveryChartHasAName(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range slices.Concat(All(studyOf(t, reproductions)), All(studyOf(t, singles)), All(studyOf(t, clients)), All(studyOf(t, comparisons))) {
		seen[c.Name] = true
	}
	for _, name := range Names {
		assert.True(t, seen[name], "no chart %s", name)
	}
	assert.Len(t, seen, len(Names), "names %v", Names)
}

// TestCSVIsQuoted: a name with commas, quotes, line ends and escape codes stays one cell, which a
// terminal prints as it is.
func TestCSVIsQuoted(t *testing.T) {
	c := Chart{X: Axis{Unit: Keys}, Y: Axis{Unit: IOsPerGet}, Lines: []Line{{Name: "a,\"b\"\n\x1b[31mc", Kind: Measured, Points: []Point{{X: 1e21, Y: 5e-8}}}}}
	var out bytes.Buffer
	require.NoError(t, c.WriteCSV(&out))
	want := "kind,line,keys,share_of_db,ios_per_get,low,high,steady\nmeasured,\"a,\"\"b\"\"\n\ufffd[31mc\",1e+21,,5e-8,,,\n"
	assert.Equal(t, want, out.String())
}

// TestPaletteStandsOut checks the contrast of every colour to its background, as WCAG defines it.
func TestPaletteStandsOut(t *testing.T) {
	for ground, palette := range map[string]Palette{"#ffffff": Light, "#14171c": Dark} {
		for _, colour := range palette {
			if c := contrast(t, colour, ground); c < 4.5 {
				t.Errorf("%s on %s: contrast %.2f", colour, ground, c)
			}
		}
	}
}

// contrast is by https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var rgb [3]float64
	for i := range rgb {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		v := float64(n) / 255
		if v <= 0.04045 {
			rgb[i] = v / 12.92
		} else {
			rgb[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
}
