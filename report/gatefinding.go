package report

import (
	"fmt"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// gateSentence is the setting and what was found about it, in one line.
func gateSentence(g *record.Gate) string {
	return units.OneLine(g.Setting) + ": " + units.OneLine(gateFinding(g))
}

// gateFinding is what was found about a setting: why the gate cannot tell, the figures that rose, fell or are
// always of interest, and what was changed.
func gateFinding(g *record.Gate) string {
	var parts []string
	if g.Reason != "" {
		parts = append(parts, g.Reason)
	}
	for _, verdict := range []string{record.GateRise, record.GateFall, record.GateCannotTell, record.GateNone} {
		for _, f := range g.Figures {
			always := f.Metric == record.MetricIOs || f.Metric == record.MetricBytes
			if f.Verdict == verdict && (always || verdict == record.GateRise || verdict == record.GateFall) {
				parts = append(parts, say("gate figure", f))
			}
		}
	}
	if unknown := gateUnknown(g.Figures); unknown != "" {
		parts = append(parts, unknown)
	}
	if g.Unjudged != "" {
		parts = append(parts, "bytes and components are not judged, as "+g.Unjudged)
	}
	if len(g.Changed) > 0 {
		parts = append(parts, "changed: "+gateChanges(g.Changed))
	}
	return strings.Join(parts, "; ")
}

// gateUnknown names the components whose reads may have risen; "" if there are none.
func gateUnknown(figures []record.GateFigure) string {
	var names []string
	for _, f := range figures {
		if f.Verdict == record.GateCannotTell && f.Metric != record.MetricIOs && f.Metric != record.MetricBytes {
			names = append(names, fmt.Sprintf("%s (%s at most)", componentName(f.Metric), gateChange(f, f.CI95[1])))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "may have risen: " + strings.Join(names, ", ")
}

func gateValue(f record.GateFigure, v float64) string {
	if f.Metric == record.MetricBytes {
		return units.MeanSize(v)
	}
	return units.IOs(v)
}

// gateChange writes a rise as a share or, of a figure too small for that, per Get.
func gateChange(f record.GateFigure, rise float64) string {
	switch {
	case !f.PerGet:
		return signedShare(rise)
	case rise > 0:
		return "+" + gateValue(f, rise)
	}
	return gateValue(f, rise)
}

// shownValue is how many characters of a changed value are shown.
const shownValue = 40

func gateChanges(changes []record.GateChange) string {
	value := func(s string) string {
		if s == "" {
			return "none"
		}
		return shortened(units.OneLine(s), shownValue)
	}
	var texts []string
	for _, c := range changes {
		texts = append(texts, fmt.Sprintf("%s %s (was %s)", shortened(units.OneLine(c.Name), shownValue), value(c.New), value(c.Base)))
	}
	return strings.Join(texts, ", ")
}

// gateNote says what a rise is; "" without figures.
func gateNote(lines []*record.Gate) string {
	n := 0
	for _, g := range lines {
		n += len(g.Figures)
	}
	i := slices.IndexFunc(lines, func(g *record.Gate) bool { return g.Confidence > 0 })
	if i < 0 {
		return ""
	}
	return say("rise", map[string]any{"MaxRise": lines[i].MaxRise, "Compared": n, "PercentEach": 100 * lines[i].Confidence})
}
