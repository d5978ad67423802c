package image

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"getio/numbers/units"
	"getio/report/chart"
)

func figure(v float64) *float64 { return &v }

// caches is a chart over cache sizes with the given lines.
func caches(lines ...chart.Line) *chart.Chart {
	return &chart.Chart{
		Name: "ios", Title: "title", Note: "note.", Lines: lines, Judged: true,
		X: chart.Axis{Label: "block cache", Unit: chart.CacheBytes, Log: true}, Y: chart.Axis{Label: "I/Os per Get", Unit: chart.IOsPerGet},
	}
}

func measured(name string, points ...chart.Point) chart.Line {
	return chart.Line{Name: name, Kind: chart.Measured, Points: points}
}

// TestHollowPointsAreNotKnownToBeSteady: points of unsteady and unknown runs are covered
// with white, others are not.
func TestHollowPointsAreNotKnownToBeSteady(t *testing.T) {
	yes, no := true, false
	c := caches(measured("a", chart.Point{X: 1 << 20, Y: 2, Steady: &yes}, chart.Point{X: 2 << 20, Y: 2, Steady: &no}, chart.Point{X: 4 << 20, Y: 1}))
	hollow := func(path, style string) bool { return circles(path, style) && strings.Contains(style, "#FFFFFF") }
	assert.Equal(t, 2, filled(t, svg(t, c, View{}), hollow))
	c.Judged = false // as a hit rate
	assert.Zero(t, filled(t, svg(t, c, View{}), hollow))
}

// TestUndrawnPointsAreSaid: the caption says which points the axes have no place for.
func TestUndrawnPointsAreSaid(t *testing.T) {
	c := caches(measured("a", chart.Point{X: 0, Y: 3}, chart.Point{X: 1 << 20, Share: figure(0.01), Y: 2}, chart.Point{X: 2 << 20, Y: 1}, chart.Point{X: 4 << 20, Share: figure(0.04), Y: 1e300}))
	for _, test := range []struct {
		view   View
		points int
		says   []string
	}{
		{View{}, 2, []string{"1 point at 0, which a logarithmic axis has no place for", "1 point beyond 1e18"}},
		{View{Linear: true}, 3, []string{"1 point beyond 1e18"}},
		{View{Share: true}, 1, []string{"2 points whose share of the database is not known", "1 point beyond 1e18"}},
	} {
		picture := svg(t, c, test.view)
		if got := filled(t, picture, circles) - 1; got != test.points {
			t.Errorf("%+v: %d points, want %d", test.view, got, test.points)
		}
		caption := strings.Join(texts(t, picture), " ")
		for _, says := range test.says {
			assert.Contains(t, caption, says, test.view)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	for name, test := range map[string]struct {
		chart *chart.Chart
		view  View
	}{
		"no lines":        {caches(), View{}},
		"no points":       {caches(measured("a")), View{}},
		"no place":        {caches(measured("a", chart.Point{X: 0, Y: 1})), View{}},
		"no share":        {caches(measured("a", chart.Point{X: 1, Y: 1})), View{Share: true}},
		"not on the page": {caches(measured("a", chart.Point{X: 1, Y: -1e300})), View{Linear: true}},
	} {
		for _, err := range []error{SVG(io.Discard, test.chart, test.view), PNG(io.Discard, test.chart, test.view), PDF(io.Discard, test.chart, test.view)} {
			assert.True(t, errors.Is(err, ErrNothing), "%s: %v", name, err)
		}
	}
}

// TestAnyFiguresMakeAnImage: single points, equal points, figures of 0, below 0 and very
// large ones.
func TestAnyFiguresMakeAnImage(t *testing.T) {
	values := []float64{0, 1, -1, 1e-300, 1e17}
	for _, unit := range []chart.Unit{chart.CacheBytes, chart.Gets} {
		for _, of := range []chart.Unit{chart.IOsPerGet, chart.HitRate} {
			for _, stacked := range []bool{false, true} {
				for _, a := range values {
					for _, b := range values {
						c := caches(measured("a", chart.Point{X: a, Share: &a, Y: b}, chart.Point{X: b, Share: &b, Y: a, Low: figure(-1e300), High: figure(1e300)}), measured("b", chart.Point{X: a, Share: &a, Y: b}))
						c.X.Unit, c.Y.Unit, c.Stacked = unit, of, stacked
						for _, v := range views {
							var out strings.Builder
							if err := SVG(&out, c, v); err != nil && !errors.Is(err, ErrNothing) {
								t.Fatalf("%s %s %v %v, %+v: %v", unit, of, a, b, v, err)
							}
							if picture := out.String(); strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
								t.Fatalf("%s %s %v %v, %+v: no numbers in %s", unit, of, a, b, v, picture)
							}
						}
					}
				}
			}
		}
	}
}

// hostile are names with the syntax of formats in them.
var hostile = []string{
	`<script>alert(1)</script>`, `"quoted" & 'so'`, "line\nbreak\r\nand\ttab", "]]><!--", "\x00\x1b[31m\xff", "漢字 עברית 🦖",
	`style="font-family:Liberation Sans;`, "", strings.Repeat("very long ", 100), strings.Repeat("W", 1000),
}

// TestHostileNamesAreText of a well-formed image.
func TestHostileNamesAreText(t *testing.T) {
	plain := len(elements(t, svg(t, caches(measured("a", chart.Point{X: 1, Y: 1})), View{})))
	for _, name := range hostile {
		c := caches(measured(name, chart.Point{X: 1, Y: 1}))
		picture := svg(t, c, View{})
		want := strings.TrimSpace(units.OneLine(name))
		found := slices.ContainsFunc(texts(t, picture), func(line string) bool {
			start, _, cut := strings.Cut(line, "…")
			return line == want || cut && strings.HasPrefix(want, start)
		})
		if want != "" && !found {
			t.Errorf("no %q in %q", want, texts(t, picture))
		}
		if got := len(elements(t, picture)); want != "" && got != plain {
			t.Errorf("%q makes %d elements, want %d", name, got, plain)
		}
		c.Title, c.Note, c.X.Label, c.Y.Label = name, name, name, name
		elements(t, svg(t, c, View{}))
	}
	// Whether they make a PNG image depends on the font alone.
	assert.NoError(t, PNG(io.Discard, caches(measured(strings.Join(hostile, " ")[:200], chart.Point{X: 1, Y: 1})), View{}))
}

// TestManyLines: the image grows with its legend, which names them all.
func TestManyLines(t *testing.T) {
	c := caches()
	for i := range 60 {
		c.Lines = append(c.Lines, chart.Line{Name: fmt.Sprintf("%d MiB", i), Kind: chart.Measured, Colour: i, Nth: i / len(chart.Light), Points: []chart.Point{{X: 1, Y: float64(i)}, {X: 2, Y: float64(i)}}})
	}
	lines := texts(t, svg(t, c, View{}))
	for _, l := range c.Lines {
		assert.True(t, slices.Contains(lines, l.Name), "no %s in the legend", l.Name)
	}
	few, many := mustScene(t, caches(c.Lines[:3]...)), mustScene(t, c)
	if newLayout(few).height() >= newLayout(many).height() {
		t.Error("a legend of 60 lines takes no more space than one of 3")
	}
	if l := newLegend(many); float64(l.columns)*l.width.Points() > innerWidth.Points() {
		t.Errorf("%d columns of %v are wider than the page", l.columns, l.width)
	}
	looks := map[string]bool{}
	for i := range many.lines {
		k := many.styleOf(&many.lines[i])
		looks[fmt.Sprint(k.colour, k.stroke.Dashes)] = true
	}
	assert.GreaterOrEqual(t, len(looks), 4*len(chart.Light))
}

func mustScene(t *testing.T, c *chart.Chart) *scene {
	t.Helper()
	s, err := newScene(c, View{})
	require.NoError(t, err)
	return s
}

// TestOutliersAreSaidNotDrawn: a reference far above everything would squeeze the rest.
func TestOutliersAreSaidNotDrawn(t *testing.T) {
	low := measured("low", chart.Point{X: 1, Y: 1}, chart.Point{X: 2, Y: 2})
	above := func(y float64) chart.Line {
		return chart.Line{Name: "above", Kind: chart.Reference, Points: []chart.Point{{X: 1, Y: y}, {X: 2, Y: y + 1}}}
	}
	if s := mustScene(t, caches(low, above(6.5))); len(s.lines) != 1 || s.y.max > 3 || !strings.Contains(strings.Join(s.notes, ""), "above, 6.5 to 7.5 I/Os per Get") {
		t.Errorf("lines %d up to %g, notes %q", len(s.lines), s.y.max, s.notes)
	}
	if s := mustScene(t, caches(low, above(5))); len(s.lines) != 2 || s.y.max < 6 {
		t.Errorf("lines %d up to %g", len(s.lines), s.y.max)
	}
	assert.Len(t, mustScene(t, caches(above(5))).lines, 1, "a reference alone is not drawn")
}

// TestMarks: those of up to three curves near the points are drawn; labels never overlap.
func TestMarks(t *testing.T) {
	c := caches()
	for i := range 3 {
		c.Lines = append(c.Lines, chart.Line{Name: fmt.Sprint("curve ", i), Kind: chart.Measured, Curve: &i, Colour: i, Points: []chart.Point{{X: 1 << 20, Y: 2}, {X: 4 << 20, Y: 1}}})
		c.Marks = append(c.Marks, chart.Mark{Name: "IP1", Curve: i, X: 2 << 20}, chart.Mark{Name: "IP2", Curve: i, X: 100 << 20})
	}
	s := mustScene(t, c)
	assert.Len(t, s.marks, 3)
	l := newMarkLabels(s)
	if len(l.rows[0]) != 1 || len(l.rows[1]) != 1 || l.rows[0][0].text != "IP1 curve 0" || l.rows[1][0].text != "IP1 curve 1" {
		t.Errorf("labels %v of marks in one place, want one in each row", l.rows)
	}
	c.Marks = append(c.Marks, chart.Mark{Name: "IP1", Curve: 3, X: 2 << 20})
	assert.Empty(t, mustScene(t, c).marks)
}

// TestStackedLinesLieOnEachOther: the uppermost is the sum.
func TestStackedLinesLieOnEachOther(t *testing.T) {
	c := caches(measured("a", chart.Point{X: 1, Y: 1}, chart.Point{X: 2, Y: 2}), measured("b", chart.Point{X: 1, Y: 0.5}, chart.Point{X: 2, Y: 0.25}))
	c.Stacked = true
	s := mustScene(t, c)
	top := s.lines[1]
	if top.Points[0].Y != 1.5 || top.Points[1].Y != 2.25 || top.base[0] != 1 || top.base[1] != 2 {
		t.Errorf("%v on %v", top.Points, top.base)
	}
}

// TestLogarithmicAxesTakeTheirSpace: a plot is as high with a logarithmic axis as with a
// linear one.
func TestLogarithmicAxesTakeTheirSpace(t *testing.T) {
	height := func(x, y chart.Unit) vg.Length {
		c := &chart.Chart{X: chart.Axis{Label: "along", Unit: x}, Y: chart.Axis{Label: "reads, and a long label of them", Unit: y},
			Lines: []chart.Line{{Name: "a", Kind: chart.Measured, Points: []chart.Point{{X: 1, Y: 1}, {X: 2, Y: 9}}}}}
		s, err := newScene(c, View{})
		require.NoError(t, err)
		page := draw.NewCanvas(vgsvg.New(pageWidth, plotHeight), pageWidth, plotHeight)
		in := newLayout(s).plot.DataCanvas(page)
		return in.Max.Y - in.Min.Y
	}
	linear, logarithmic := height(chart.Keys, chart.Reads), height(chart.Level0Tables, chart.Reads)
	assert.Equal(t, linear, logarithmic)
}
