package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"getio/internal/terminaltest"
	"getio/record"
	"getio/report"
)

// legend is the last line of a curve.
const legend = "I/Os per Get by cache size"

// points are results of so many cache sizes.
func points(n int) (results []*record.Result) {
	for i := range n {
		results = append(results, &record.Result{
			Cache:     record.Cache{Bytes: 1 << (20 + i), FractionOfDB: 0.001},
			IOsPerGet: record.IOsPerGet{Mean: 3 - float64(i)/2, Windows: []float64{1}},
			Workload:  record.Made{Gets: 1},
		})
	}
	return results
}

// TestCurveIsDrawnInItsPlace: above it are the lines of all sizes, below it the
// progress of the next one, and nothing else is left of what was drawn before.
func TestCurveIsDrawnInItsPlace(t *testing.T) {
	var out bytes.Buffer
	g := &Curve{screen{out: &out, room: func() (int, int) { return report.Width, 24 }}}
	m := &Progress{out: &out, terminal: true, began: time.Now().Add(-time.Hour)}
	for n := 1; n <= 3; n++ {
		m.Show(fmt.Sprintf("cache %d of 3", n), 10, 100, "Gets", "")
		m.Finish()
		g.Add(fmt.Sprintf("line %d", n), points(n))
	}
	m.Show("the next", 10, 100, "Gets", "")
	text := strings.TrimRight(terminaltest.Shown(t, out.String()), "\n")
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(text, "line 1\nline 2\nline 3\n") || strings.Count(text, legend) != 1 || strings.Count(text, "o") < 3 {
		t.Errorf("three lines and one curve are to be there:\n%s", text)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "the next") || !strings.HasPrefix(lines[len(lines)-2], legend) {
		t.Errorf("the progress is to stand below the curve:\n%s", text)
	}
	m.Finish()
	g.Erase()
	assert.Equal(t, "line 1\nline 2\nline 3", strings.TrimRight(terminaltest.Shown(t, out.String()), "\n"))
}

// TestCurveNeedsRoom: on a terminal that is or becomes too small there are lines
// only, and nothing that stands there is written over.
func TestCurveNeedsRoom(t *testing.T) {
	for _, small := range [][2]int{{report.Width - 1, 24}, {report.Width, 12}, {0, 0}} {
		var out bytes.Buffer
		room := [2]int{report.Width, 24}
		g := &Curve{screen{out: &out, room: func() (int, int) { return room[0], room[1] }}}
		g.Add("line 1", points(2))
		before := out.String()
		room = small
		g.Add("line 2", points(2))
		g.Erase()
		if got := strings.TrimPrefix(out.String(), before); got != "line 2\n" {
			t.Errorf("in %d columns and %d rows %q was written", small[0], small[1], got)
		}
	}
}
