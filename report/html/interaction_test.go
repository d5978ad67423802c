package html

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/record"
	"getio/report/chart"
	"getio/report/study"
)

// TestAccessible: axe finds no violation, in light and dark, with everything opened.
func TestAccessible(t *testing.T) {
	axe := axeCore(t)
	for _, c := range []struct {
		paths []string
		theme string
		width int64
	}{{reproductions, "light", 360}, {clients, "dark", 1280}, {compared, "light", 1280}} {
		s, r := read(t, c.paths...)
		theme, width := c.theme, c.width
		w := open(t, write(t, s, r.Lines), width, 900)
		w.click("input[name=theme][value=" + theme + "]")
		eval[int](w, drawAll)
		eval[bool](w, `(document.querySelectorAll("details").forEach((d) => d.open = true), new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true)))))`)
		eval[bool](w, axe+"\n;typeof axe === 'object'")
		type outcome struct {
			Passes     int
			Violations []string
		}
		o := eval[outcome](w, `axe.run(document, { resultTypes: ["violations"] }).then((r) => ({ Passes: r.passes.length, Violations: r.violations.map(
			(v) => v.id + " (" + v.impact + "): " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(" ")) }))`)
		for _, v := range o.Violations {
			t.Errorf("%s, %d pixels: %s", theme, width, v)
		}
		assert.GreaterOrEqual(t, o.Passes, 20)
	}
}

// TestToggles: switching a database, a kind of figure or a line off and on again removes
// and restores it.
func TestToggles(t *testing.T) {
	html, s, _ := reproductionPage(t)
	w := open(t, html, 1280, 900)
	eval[int](w, drawAll)
	click := w.click
	medium := chart.Light.At(1)
	before := ink(w, "chart-ios", medium)
	click(`input[name=curve][value="1"]`)
	if n := ink(w, "chart-ios", medium); n != 0 {
		t.Errorf("%s is off, and has %d pixels", s.Curves[1].Name, n)
	}
	assert.NotZero(t, ink(w, "chart-ios", chart.Light.At(0)), "another database went with it")
	click(`input[name=curve][value="1"]`)
	assert.Equal(t, before, ink(w, "chart-ios", medium))
	click(`input[name=kind][value="published"]`)
	if n := ink(w, "chart-ios", medium); n == 0 || n >= before {
		t.Errorf("without published figures it has %d pixels, with them %d", n, before)
	}
	click(`input[name=kind][value="published"]`)
	click(`#chart-ios .legend button`)
	assert.Equal(t, "false", eval[string](w, `document.querySelector("#chart-ios .legend button").getAttribute("aria-pressed")`))
	all := ink(w, "chart-ios", chart.Light.At(0))
	click(`#chart-ios .legend button`)
	assert.Greater(t, ink(w, "chart-ios", chart.Light.At(0)), all, "ink of the line that was switched on again")
}

// TestShareAxis: switching caches to shares, and the axis to linear, moves the points.
func TestShareAxis(t *testing.T) {
	html, _, _ := reproductionPage(t)
	w := open(t, html, 1280, 900)
	eval[int](w, drawAll)
	at := func() string {
		return eval[string](w, `(document.getElementById("chart-ios").scrollIntoView(), document.querySelector("#chart-ios .plot").focus(), document.getElementById("chart-ios").querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", { key: "Home", cancelable: true })), document.querySelector("#chart-ios .tip").style.left)`)
	}
	for _, choice := range []string{`input[name=cache][value=share]`, `input[name=log]`} {
		before := at()
		w.click(choice)
		if after := at(); after == before || after == "" {
			t.Errorf("%s: the first point stays at %s", choice, before)
		}
	}
}

// TestPointing: the pointer and the keyboard show a value as it is in the record.
func TestPointing(t *testing.T) {
	html, s, _ := reproductionPage(t)
	w := open(t, html, 1280, 900)
	eval[int](w, drawAll)
	r := s.Curves[0].Runs[0]
	want := fmt.Sprintf("%s: %v I/Os per Get, 95%% %v to %v, at 32 MiB (0.14%% of the database), steady",
		s.Curves[0].Name, fourDigits(r.IOsPerGet.Mean), fourDigits(r.IOsPerGet.CI95[0]), fourDigits(r.IOsPerGet.CI95[1]))
	readout := `document.querySelector("#chart-ios .readout").textContent`
	eval[bool](w, `(document.getElementById("chart-ios").scrollIntoView(), document.querySelector("#chart-ios .plot").focus(), true)`)
	press := func(key string) string {
		return eval[string](w, fmt.Sprintf(`(document.querySelector("#chart-ios .plot").dispatchEvent(new KeyboardEvent("keydown", { key: %q, cancelable: true })), %s)`, key, readout))
	}
	assert.Equal(t, want, press("Home"))
	if got := press("ArrowRight"); got == want || !strings.Contains(got, "1.9687") {
		t.Errorf("a step on is %q", got)
	}
	assert.Contains(t, press("ArrowDown"), "after more Gets")
	assert.Empty(t, press("Escape"))
	press("Home")
	spot := eval[[]float64](w, `(() => { const p = document.querySelector("#chart-ios .plot").getBoundingClientRect(), tip = document.querySelector("#chart-ios .tip").style; return [p.left + parseFloat(tip.left), p.top + parseFloat(tip.top)]; })()`)
	press("Escape")
	w.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: spot[0] + 2, Y: spot[1] + 2})
		return err
	}))
	if got := eval[string](w, `new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(document.querySelector("#chart-ios .tip").textContent))))`); got != want {
		t.Errorf("the pointer shows %q, want %q", got, want)
	}
}

func fourDigits(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// TestPrinted: print has all charts, even those that nobody scrolled to.
func TestPrinted(t *testing.T) {
	html, s, _ := reproductionPage(t)
	w := open(t, html, 1280, 900)
	pdf, err := chromedp.Run(w.ctx, func(ctx context.Context, target *chromedp.Target) (cdppage.PrintToPDFResult, error) {
		return cdp.Call(ctx, target, cdppage.PrintToPDF, cdppage.PrintToPDFParams{})
	})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(pdf.Data), 50_000)
	if n, want := eval[int](w, `document.querySelectorAll(".plot[data-drawn]").length`), len(chart.All(s)); n != want {
		t.Errorf("%d charts were drawn for print, want %d", n, want)
	}
}

// TestHostileNames: names in records are text. No script of theirs runs, and readers see
// them as they are.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		`<script>window.hostile = 1</script>`,
		`</script><script>window.hostile = 1</script>`,
		`"><img src=x onerror="window.hostile = 1">`,
		`'-window.hostile=1-'{{.}}<!--<script>`,
		"\x1b]0;title\x07\x1b[31mred\x1b[0m, \u202eturned and \u0085",
		"line\nend, comma, \"quote\", \u2028, tab\t, \\. and " + strings.Repeat("long", 200),
	} {
		_, r := read(t, reproductions[0], clients[0], compared[0])
		for _, c := range r.Chains {
			c.Path, c.Operation, c.Engine.Name, c.Warnings = name, name, name, []string{name}
			c.Categories = map[string]record.ChainGets{name: {Gets: 1}}
		}
		for _, l := range r.Level0s {
			l.Path, l.Engine.Preset = name, name
		}
		for _, c := range r.Comparisons {
			c.Base.Label, c.Side.Label, c.Side.Dataset.Path, c.Workload.KeysFile = name, name+c.Side.Label, name, name
		}
		for _, result := range r.Results {
			result.Dataset.Path, result.Dataset.Values = name, name
			result.Engine = record.Engine{Name: name, Version: name, Preset: name, Options: map[string]string{name: name}}
			result.Warnings = []string{name}
			result.Environment.CPU, result.Environment.Kernel, result.Environment.Getio = name, name, name
			result.Workload.WarmupRule, result.Workload.Kind, result.Device.PageCache = name, name, name
		}
		last := r.Results[len(r.Results)-1]
		last.Dataset.Keyspace = name
		last.Checks = append(last.Checks, readpath.Check{Name: name, Detail: name})
		line, err := json.Marshal(r.Results[0])
		require.NoError(t, err)
		s := study.New(r)
		w := open(t, write(t, s, []json.RawMessage{line}), 1280, 900)
		eval[int](w, drawAll)
		assert.False(t, eval[bool](w, `"hostile" in window || document.images.length > 0`), "a script in the name %q ran", name)
		assert.Equal(t, name, eval[string](w, `JSON.parse(JSON.parse(document.getElementById("records").textContent)[0]).dataset.path`))
		assert.Contains(t, eval[string](w, `document.querySelector(".warned li").textContent`), name)
		requireCSV(t, w, s)
	}
}

// manyRuns returns 200 measurements: ten caches for each of twenty configurations.
func manyRuns(t testing.TB) ([]byte, *study.Study) {
	var r record.Set
	for n := range 200 {
		_, one := read(t, reproductions[0])
		result := one.Results[n%4]
		result.Engine.Preset = fmt.Sprintf("preset %d", n/10)
		result.Cache.Bytes = int64(32+20*(n%10)) << 20
		line, err := json.Marshal(result)
		require.NoError(t, err)
		r.Results, r.Lines = append(r.Results, result), append(r.Lines, line)
	}
	s := study.New(r)
	return write(t, s, r.Lines), s
}

// opened waits for the first drawn chart and returns the milliseconds since the request
// of the page.
const opened = `(async () => {
	while (!document.querySelector(".plot").dataset.drawn) await new Promise((r) => requestAnimationFrame(r));
	return performance.now();
})()`

// TestManyRuns: a study of 200 runs opens with its first charts drawn.
func TestManyRuns(t *testing.T) {
	html, s := manyRuns(t)
	require.Len(t, s.Curves, 20)
	w := open(t, html, 1280, 900)
	eval[float64](w, opened)
	assert.GreaterOrEqual(t, eval[int](w, `document.querySelectorAll("tbody tr").length`), 200)
}

// BenchmarkOpen measures how long a study of 200 runs takes to open: from the request
// until the first charts are drawn.
func BenchmarkOpen(b *testing.B) {
	html, _ := manyRuns(b)
	for b.Loop() {
		w := open(b, html, 1280, 900)
		b.ReportMetric(eval[float64](w, opened), "ms/open")
	}
	b.ReportMetric(float64(len(html)), "bytes")
}
