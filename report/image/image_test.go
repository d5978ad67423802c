package image

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/report/chart"
	"getio/report/study"
)

// views are all views.
var views = []View{{}, {Linear: true}, {Share: true}, {Linear: true, Share: true}}

const (
	small     = "../../results/small.jsonl"
	medium    = "../../results/medium.jsonl"
	large     = "../../results/large.jsonl"
	predicted = "../chart/testdata/predicted.jsonl"
	single    = "../chart/testdata/single.jsonl" // of single Gets too
)

// charts are those of the reproductions, together and apart, of a prediction, and of a
// sweep with single Gets.
func charts(t *testing.T) []chart.Chart {
	return slices.Concat(chartsOf(t, small, medium, large), chartsOf(t, small), chartsOf(t, medium), chartsOf(t, large), chartsOf(t, predicted), chartsOf(t, single))
}

func chartsOf(t *testing.T, files ...string) []chart.Chart {
	t.Helper()
	r, err := record.ReadFiles(files...)
	require.NoError(t, err)
	return chart.All(study.New(r))
}

// each draws every chart in every view.
func each(t *testing.T, f func(t *testing.T, c *chart.Chart, v View)) {
	for i, c := range charts(t) {
		for _, v := range views {
			t.Run(fmt.Sprintf("%d %s %+v", i, c.Name, v), func(t *testing.T) { f(t, &c, v) })
		}
	}
}

func svg(t *testing.T, c *chart.Chart, v View) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, SVG(&out, c, v))
	return out.String()
}

// element is one element of an SVG image.
type element struct {
	name, path, style, text string
}

// elements returns the elements of an image, which must be well-formed XML.
func elements(t *testing.T, svg string) (all []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err, "invalid XML")
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "d":
					e.path = a.Value
				case "style":
					e.style = a.Value
				}
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += string(token)
			}
		}
	}
}

// texts returns the lines of text of an image.
func texts(t *testing.T, svg string) (lines []string) {
	for _, e := range elements(t, svg) {
		if e.name == "text" {
			lines = append(lines, strings.TrimSpace(e.text))
		}
	}
	return lines
}

// filled counts the opaque paths of a shape.
func filled(t *testing.T, svg string, is func(path, style string) bool) (n int) {
	for _, e := range elements(t, svg) {
		if e.name == "path" && !strings.Contains(e.style, "stroke") && !strings.Contains(e.style, "opacity") && is(e.path, e.style) {
			n++
		}
	}
	return n
}

func circles(path, _ string) bool { return strings.Contains(path, "A") }

// corners matches a shape with that many corners.
func corners(n int) func(path, style string) bool {
	return func(path, _ string) bool {
		return !strings.Contains(path, "A") && strings.Count(path, "M")+strings.Count(path, "L") == n
	}
}

// TestEveryPointIsDrawn counts the glyphs of each kind: one for each point and one in the legend.
func TestEveryPointIsDrawn(t *testing.T) {
	each(t, func(t *testing.T, c *chart.Chart, v View) {
		want := map[chart.Kind]int{}
		for _, l := range c.Lines {
			want[l.Kind] += len(l.Points) + 1
		}
		picture := svg(t, c, v)
		assert.Equal(t, want[chart.Measured], filled(t, picture, circles))
		assert.Equal(t, want[chart.Predicted], filled(t, picture, corners(3)))
		// The page is one more.
		if got, points := filled(t, picture, corners(4))-1, want[chart.Continued]+want[chart.Published]; got != points {
			t.Errorf("%d diamonds and squares, want %d", got, points)
		}
	})
}

// TestEveryLineIsNamed: the legend has each name, short enough to be whole, and no other text.
func TestEveryLineIsNamed(t *testing.T) {
	each(t, func(t *testing.T, c *chart.Chart, v View) {
		picture := svg(t, c, v)
		lines := texts(t, picture)
		for _, l := range c.Lines {
			if !slices.Contains(lines, l.Name) && l.Name != "worst case" {
				t.Errorf("no %q in %q", l.Name, lines)
			}
		}
		assert.True(t, slices.Contains(lines, c.Title), "no title in %q", lines)
		assert.Contains(t, strings.Join(lines, " "), c.Note)
		for _, wrong := range []string{"NaN", "Inf"} {
			assert.NotContains(t, picture, wrong)
		}
	})
}

// TestEveryColourIsThere looks at the pixels of a PNG image.
func TestEveryColourIsThere(t *testing.T) {
	for i, c := range chartsOf(t, small, large) {
		var out bytes.Buffer
		require.NoError(t, PNG(&out, &c, View{}))
		img, err := png.Decode(&out)
		require.NoError(t, err)
		opaque := image.NewRGBA(img.Bounds())
		draw.Draw(opaque, opaque.Bounds(), img, image.Point{}, draw.Src)
		seen := map[color.NRGBA]int{}
		for at := 0; at < len(opaque.Pix); at += 4 {
			seen[color.NRGBA{opaque.Pix[at], opaque.Pix[at+1], opaque.Pix[at+2], opaque.Pix[at+3]}]++
		}
		for _, l := range c.Lines {
			if l.Kind == chart.Reference {
				continue
			}
			assert.GreaterOrEqual(t, seen[parseColour(chart.Light.At(l.Colour))], 30, "%d, %s: pixels in the colour of %s", i, c.Name, l.Name)
		}
		assert.GreaterOrEqual(t, 3*seen[color.NRGBA{255, 255, 255, 255}], img.Bounds().Dx()*img.Bounds().Dy(), "%d, %s", i, c.Name)
	}
}

// TestSameChartSameImage, byte for byte.
func TestSameChartSameImage(t *testing.T) {
	for _, c := range chartsOf(t, medium)[:2] {
		for _, format := range []func(io.Writer, *chart.Chart, View) error{SVG, PNG, PDF} {
			var first, second bytes.Buffer
			require.NoError(t, errors.Join(format(&first, &c, View{}), format(&second, &c, View{})))
			assert.Equal(t, second.Bytes(), first.Bytes(), "%s: two pictures", c.Name)
			assert.NotContains(t, first.String(), time.Now().Format("(D:200601"), "%s has a date", c.Name)
		}
	}
}

// TestChartIsNotChanged by drawing it.
func TestChartIsNotChanged(t *testing.T) {
	csv := func(c *chart.Chart) string {
		var out bytes.Buffer
		require.NoError(t, c.WriteCSV(&out))
		return out.String()
	}
	for _, c := range charts(t) {
		before := csv(&c)
		svg(t, &c, View{Share: true})
		assert.Equal(t, before, csv(&c), "%s has other figures", c.Name)
	}
}
