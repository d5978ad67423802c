package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/report/chart"
	"getio/report/study"
)

// reproductions are getio's own runs of the published study.
var reproductions = []string{"../../results/small.jsonl", "../../results/medium.jsonl", "../../results/large.jsonl", "../chart/testdata/single.jsonl"}

// clients are a client's operations, tables of L0, and state databases.
var clients = []string{"../chart/testdata/client.jsonl", "../../results/states.jsonl"}

// compared are two versions of a library and iterators, in alternating runs on one tree.
var compared = []string{"../chart/testdata/compared.jsonl"}

// read returns records as a study and as they are.
func read(t testing.TB, paths ...string) (*study.Study, record.Set) {
	t.Helper()
	r, err := record.ReadFiles(paths...)
	require.NoError(t, err)
	return study.New(r), r
}

func write(t testing.TB, s *study.Study, records []json.RawMessage) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, s, records))
	return out.Bytes()
}

func reproductionPage(t testing.TB) ([]byte, *study.Study, record.Set) {
	s, r := read(t, reproductions...)
	return write(t, s, r.Lines), s, r
}

// drawAll scrolls to every chart and waits until it is drawn.
const drawAll = `(async () => {
	for (const p of document.querySelectorAll(".plot")) {
		p.scrollIntoView();
		while (!p.dataset.drawn) await new Promise((r) => requestAnimationFrame(r));
	}
	await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
	return document.querySelectorAll(".plot").length;
})()`

// inkOf counts the pixels of about a colour in a chart's canvas.
const inkOf = `(id, colour) => {
	const canvas = document.querySelector("#" + id + " .uplot canvas");
	const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
	copy.drawImage(canvas, 0, 0);
	const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
	const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
	let n = 0;
	for (let i = 0; i < data.length; i += 4) {
		if (data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24) n++;
	}
	return n;
}`

func ink(w *tab, id, colour string) int {
	return eval[int](w, fmt.Sprintf("(%s)(%q, %q)", inkOf, id, colour))
}

func idOf(c chart.Chart) string {
	if c.Curve == nil {
		return "chart-" + c.Name
	}
	return fmt.Sprintf("chart-%s-%d", c.Name, *c.Curve)
}

// TestAllChartsAreDrawn: each chart has pixels in the colour of each of its lines, in
// wide and narrow windows, light and dark.
func TestAllChartsAreDrawn(t *testing.T) {
	for name, paths := range map[string][]string{"curves": reproductions, "clients": clients, "compared": compared} {
		t.Run(name, func(t *testing.T) { allChartsAreDrawn(t, paths) })
	}
}

func allChartsAreDrawn(t *testing.T, paths []string) {
	s, r := read(t, paths...)
	html := write(t, s, r.Lines)
	charts := chart.All(s)
	for _, c := range []struct {
		width   int64
		theme   string
		palette chart.Palette
	}{{1280, "light", chart.Light}, {1280, "dark", chart.Dark}, {360, "light", chart.Light}} {
		t.Run(fmt.Sprint(c.width, c.theme), func(t *testing.T) {
			w := open(t, html, c.width, 900)
			w.click("input[name=theme][value=" + c.theme + "]")
			require.Equal(t, len(charts), eval[int](w, drawAll))
			for _, ch := range charts {
				least := 15
				if ch.Stacked || ch.X.Unit == chart.MemoryPerKey { // a line may cover most of another that is near it
					least = 1
				}
				for _, l := range ch.Lines {
					if n := ink(w, idOf(ch), c.palette.At(l.Colour)); n < least {
						t.Errorf("%s: %d pixels of the colour of %q", idOf(ch), n, l.Name)
					}
				}
			}
			assert.LessOrEqual(t, eval[int](w, `document.documentElement.scrollWidth`), int(c.width), "the page's width in a window of %d", c.width)
		})
	}
}

// TestDataAreTheRecords: the page holds the lines of the files, and offers the CSV that
// the chart package writes.
func TestDataAreTheRecords(t *testing.T) {
	html, s, _ := reproductionPage(t)
	w := open(t, html, 1280, 900)
	var want []string
	for _, path := range reproductions {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			want = append(want, strings.TrimSuffix(line, "\n"))
		}
	}
	assert.Equal(t, want, eval[[]string](w, `JSON.parse(document.getElementById("records").textContent)`), "the records in the page are not those of the files")
	requireCSV(t, w, s)
}

func requireCSV(t *testing.T, w *tab, s *study.Study) {
	t.Helper()
	texts := eval[[]string](w, `JSON.parse(document.getElementById("data").textContent).charts.map(csv)`)
	charts := chart.All(s)
	require.Len(t, texts, len(charts))
	for i, c := range charts {
		var csv bytes.Buffer
		require.NoError(t, c.WriteCSV(&csv))
		assert.Equal(t, csv.String(), texts[i], c.Title)
	}
}

// TestItStandsAlone: the file loads nothing, has uPlot's licence, and is below a megabyte
// without data.
func TestItStandsAlone(t *testing.T) {
	html := write(t, &study.Study{}, nil)
	assert.LessOrEqual(t, len(html), 1_000_000)
	for _, wanted := range []string{"uPlot (v1.6.32)", "Copyright (c) 2022 Leon Sorokin", "The above copyright notice and this permission notice"} {
		assert.True(t, bytes.Contains(html, []byte(wanted)), "the page lacks %q of uPlot", wanted)
	}
	for _, outside := range []string{"<link", "src=", "@import", "url("} {
		assert.False(t, bytes.Contains(html, []byte(outside)), "the page has %s", outside)
	}
}

// TestFindingsComeFirst: the findings stand above all charts and tables.
func TestFindingsComeFirst(t *testing.T) {
	html, s, _ := reproductionPage(t)
	w := open(t, html, 1280, 900)
	text := eval[string](w, `document.body.innerText`)
	found := strings.Index(text, "What was found")
	for _, c := range s.Curves {
		at := strings.Index(text, "\n"+c.Name+"\n")
		if at < found || at > strings.Index(text, "\nCharts\n") {
			t.Errorf("nothing was found of %s before the charts", c.Name)
		}
	}
}

// TestComparisonsAreFound: their verdicts stand in words above the charts, with or
// without the runs, and link to the tables; the page's data are the chart's.
func TestComparisonsAreFound(t *testing.T) {
	s, r := read(t, compared...)
	alone := study.New(record.Set{Comparisons: r.Comparisons})
	for name, c := range map[string]struct {
		study *study.Study
		title string
		made  string
	}{
		"beside runs": {s, "I/Os per Get: d, pebblev1, d, pebblev2, comparison with d", "6 measurements, 24 compared figures, of 22 November 2026."},
		"alone":       {alone, "I/Os per Get: comparison with d", "24 compared figures, of 22 November 2026."},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, write(t, c.study, r.Lines), 1280, 900)
			eval[int](w, drawAll)
			text := eval[string](w, `document.body.innerText`)
			verdict, charts := strings.Index(text, "For keys that exist, v2 against v1: 5.37% more I/Os per Get (between 5.15% and 5.59%)"), strings.Index(text, "\nCharts\n")
			if verdict < strings.Index(text, "What was found") || verdict > charts {
				t.Errorf("no verdict before the charts:\n%s", text)
			}
			if title := eval[string](w, `document.title`); title != c.title || !strings.Contains(text, c.made) {
				t.Errorf("the title is %q, want %q and %q", title, c.title, c.made)
			}
			led := eval[string](w, `document.querySelector(document.querySelector(".found article:last-child a").getAttribute("href")).closest("section").querySelector("pre").textContent`)
			if !strings.Contains(led, "v2-seek against v1, keys that exist\n") || !strings.Contains(led, "5.37% ±0.22%") {
				t.Errorf("the finding leads to\n%s", led)
			}
			requireCSV(t, w, c.study)
		})
	}
}

// TestNoFigureOfAFailedRun: only its failed check is on the page.
func TestNoFigureOfAFailedRun(t *testing.T) {
	_, r := read(t, reproductions[0])
	r.Results[0].Checks[0].OK = false
	r.Results[0].Checks[0].Detail = "17 reads fit no block"
	w := open(t, write(t, study.New(r), nil), 1280, 900)
	text := eval[string](w, `document.body.innerText`)
	if !strings.Contains(text, "17 reads fit no block") || !strings.Contains(text, "No figure of these measurements counts") {
		t.Errorf("the failed check is not named:\n%s", text)
	}
	for _, figure := range []string{"2.1394", "2.139"} {
		assert.NotContains(t, text, figure)
	}
}

// TestStudiesWithLittleToShow: pages of failed runs alone, of a cache of 0 bytes, of a database
// read from the cache alone and of one key open without errors and show what there is.
func TestStudiesWithLittleToShow(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Result)
		wants  string // an expression that is true then
	}{
		"failed": {func(r *record.Result) { r.Checks[0].OK = false },
			`!document.getElementById("records-button").hidden && document.querySelectorAll(".plot").length === 0 && document.getElementById("kinds").hidden`},
		"no cache": {func(r *record.Result) { r.Cache.Bytes = 0 },
			`document.querySelector("#chart-ios .note").textContent.includes("Not drawn: ")`},
		"no reads": {func(r *record.Result) {
			r.IOsPerGet = record.IOsPerGet{Windows: []float64{0, 0}}
			r.Continued, r.Published = nil, nil
			r.Components = map[string]record.Component{"data": {Accesses: new(int64(1))}}
		}, `document.querySelector("#chart-ios .plot").dataset.drawn === "true"`},
		"one key": {func(r *record.Result) {
			if r.Cache.Bytes == 32<<20 {
				r.Dataset.Keys = 1
			}
			r.Cache.FractionOfDB = 0.01
			r.Cache.Bytes = r.Dataset.Bytes / 100
		}, `document.querySelector("#chart-keys") === null || document.querySelector("#chart-keys .plot").dataset.drawn === "true"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := read(t, reproductions[0])
			for _, result := range r.Results {
				c.change(result)
			}
			w := open(t, write(t, study.New(r), r.Lines), 1280, 900)
			eval[int](w, drawAll)
			assert.True(t, eval[bool](w, c.wants), "%s is not so", c.wants)
		})
	}
}

// TestWarningsOfFailedRunsAreNotShown, since they may have figures.
func TestWarningsOfFailedRunsAreNotShown(t *testing.T) {
	_, r := read(t, reproductions[0])
	r.Results[0].Checks[0].OK, r.Results[0].Warnings = false, []string{"0.95 reads per Get only open tables"}
	assert.False(t, bytes.Contains(write(t, study.New(r), nil), []byte("0.95 reads")), "a failed run's warning is on the page")
}
