package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
	"getio/record/judge"
	"getio/report/study"
)

// Comparison writes how configurations differ: a table for each that is compared with the
// base, then the findings in words. All lines have one base.
func Comparison(w io.Writer, lines []*record.Comparison) error {
	p := newPrinter(w)
	if len(lines) == 0 {
		p.prose("There are no comparisons.")
		return p.flush()
	}
	comparedSides(p, lines)
	for _, pair := range study.BySide(lines) {
		p.blank()
		p.text("pair", pair[0])
		comparisonTable(p, pair)
	}
	comparisonNotes(p, lines)
	for i, sentence := range ComparisonFindings(lines) {
		if i == 0 {
			p.blank()
		}
		p.prose(sentence)
	}
	return p.flush()
}

// sideLabel is the name of a side in texts. compare's own labels are shorter than those
// of lines; a record may hold anything.
func sideLabel(c record.ComparedSide) string { return shortened(units.OneLine(c.Label), labelWidth-1) }

func comparedSides(p *printer, lines []*record.Comparison) {
	first := lines[0]
	sides := []record.ComparedSide{first.Base}
	for _, l := range lines {
		if !slices.ContainsFunc(sides, func(c record.ComparedSide) bool { return c.Label == l.Side.Label }) {
			sides = append(sides, l.Side)
		}
	}
	for _, c := range sides {
		p.field(sideLabel(c), say("compared side", c)+settingsApart(c, sides))
	}
	t := comparedText{Comparison: first}
	t.LeastRounds, t.Rounds = extent(lines, func(l *record.Comparison) int { return l.Rounds })
	t.LeastWarmup, t.Warmup = extent(lines, func(l *record.Comparison) int64 { return l.Workload.WarmupGets })
	t.LastSeed = first.Workload.Seed + uint64(t.Rounds) - 1
	p.text("compared", t)
}

// comparedText is the data of the text: the first line, and the extent of what may differ between lines.
type comparedText struct {
	*record.Comparison
	LeastRounds, Rounds int
	LeastWarmup, Warmup int64
	LastSeed            uint64
}

func extent[R any, N cmp.Ordered](records []R, of func(R) N) (least, most N) {
	least = of(records[0])
	for _, r := range records {
		least, most = min(least, of(r)), max(most, of(r))
	}
	return least, most
}

// settingsApart returns the preset and the options in which a side differs from others with the same engine.
func settingsApart(c record.ComparedSide, sides []record.ComparedSide) (text string) {
	differs := func(of func(record.ComparedSide) string) bool {
		return slices.ContainsFunc(sides, func(o record.ComparedSide) bool { return o.Engine.Name == c.Engine.Name && of(o) != of(c) })
	}
	if differs(func(o record.ComparedSide) string { return o.Engine.Preset }) {
		text += ", preset " + units.OneLine(c.Engine.Preset)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Engine.Options)) {
		if differs(func(o record.ComparedSide) string { return o.Engine.Options[name] }) {
			text += ", " + units.OneLine(name) + "=" + units.OneLine(c.Engine.Options[name])
		}
	}
	return text
}

// comparedRow is a cache or, below it, a figure with it.
type comparedRow struct {
	cache string
	*record.Comparison
}

func comparisonTable(p *printer, pair []*record.Comparison) {
	var rows []comparedRow
	for i, l := range pair {
		if i == 0 || l.Cache.Bytes != pair[i-1].Cache.Bytes {
			rows = append(rows, comparedRow{say("compared cache", l), nil})
		}
		rows = append(rows, comparedRow{"", l})
	}
	figure := colIf(func(r comparedRow) bool { return r.Comparison != nil }, "")
	p.table(newTable(rows,
		col("per Get", func(r comparedRow) string {
			if r.Comparison == nil {
				return r.cache
			}
			return "  " + say("metric", r)
		}),
		figure(sideLabel(pair[0].Base), func(l comparedRow) string { return estimateCell(l.Metric, l.Base.Estimate) }),
		figure(sideLabel(pair[0].Side), func(l comparedRow) string { return estimateCell(l.Metric, l.Side.Estimate) }),
		figure("difference", func(l comparedRow) string { return differenceCell(l.Comparison) }),
		figure("verdict", func(l comparedRow) string { return say("verdict", l) }).left()))
}

func estimateCell(metric string, e *record.Estimate) string {
	if e == nil {
		return units.Absent
	}
	figure := func(v float64) string {
		switch metric {
		case record.MetricBytes:
			return units.Comma(int64(math.Round(v)))
		case record.MetricCPU:
			return units.ThreeDigits(v)
		}
		return units.IOs(v)
	}
	return figure(e.Mean) + " ±" + figure(e.HalfWidth())
}

// differenceCell is in per cent of the base, or in the metric's unit if one side is 0.
func differenceCell(l *record.Comparison) string {
	switch {
	case l.Difference == nil:
		return units.Absent
	case l.Ratio == nil:
		return units.If(l.Difference.Mean > 0, "+") + estimateCell(l.Metric, l.Difference)
	}
	return signedShare(l.Ratio.Mean-1) + " ±" + share(l.Ratio.HalfWidth())
}

func driftingSide(l *record.Comparison) record.ComparedSide {
	if math.Abs(l.Side.Drift.Mean) > math.Abs(l.Base.Drift.Mean) {
		return l.Side
	}
	return l.Base
}

func comparisonNotes(p *printer, lines []*record.Comparison) {
	notes := map[string]bool{}
	for _, l := range lines {
		notes[l.Verdict] = true
		notes["perGet"] = notes["perGet"] || l.Difference != nil && l.Ratio == nil
		notes["databases"] = notes["databases"] || l.Base.Dataset.Path != l.Side.Dataset.Path
	}
	p.text("comparison notes", notes)
}

// ComparisonFindings says in a sentence for each side by how much it reads less or more than the base with each cache.
func ComparisonFindings(lines []*record.Comparison) (sentences []string) {
	for _, pair := range study.BySide(lines) {
		verdicts := joined(pair, "; ", func(l *record.Comparison) string {
			if l.Metric != record.MetricIOs {
				return ""
			}
			return say("verdict in words", l)
		})
		if l := pair[0]; verdicts != "" {
			sentences = append(sentences, fmt.Sprintf("For %s, %s against %s: %s.",
				say("requested keys", l.Workload), sideLabel(l.Side), sideLabel(l.Base), verdicts))
		}
	}
	return sentences
}

// tellsDifference reports whether the interval of the difference, at the verdict's confidence, excludes 0.
func tellsDifference(l *record.Comparison) bool {
	difference, ratio := l.Difference, l.Ratio
	if l.Confidence > 0 {
		var d record.Estimate
		d, ratio = judge.Difference(l, l.Confidence)
		difference = &d
	}
	return ratio != nil && ratio.Excludes(1) || ratio == nil && difference.Excludes(0)
}

// differenceInWords returns how many fewer or more I/Os per Get the side makes, with the bounds of the interval.
func differenceInWords(l *record.Comparison) string {
	e, figure := *l.Difference, units.IOs
	if l.Ratio != nil {
		e, figure = record.Estimate{Mean: l.Ratio.Mean - 1, CI95: [2]float64{l.Ratio.CI95[0] - 1, l.Ratio.CI95[1] - 1}}, share
	}
	word := "more"
	if e.Mean < 0 {
		word, e = "fewer", record.Estimate{Mean: -e.Mean, CI95: [2]float64{-e.CI95[1], -e.CI95[0]}}
	}
	return fmt.Sprintf("%s %s I/Os per Get (between %s and %s)", figure(e.Mean), word, figure(e.CI95[0]), figure(e.CI95[1]))
}

// differenceBound bounds a difference that may be none.
func differenceBound(l *record.Comparison) string {
	if l.Ratio == nil {
		return "within ±" + units.IOs(max(math.Abs(l.Difference.CI95[0]), math.Abs(l.Difference.CI95[1])))
	}
	widest := max(math.Abs(l.Ratio.CI95[0]-1), math.Abs(l.Ratio.CI95[1]-1))
	if widest == 0 {
		return "each read the same"
	}
	return "within ±" + share(widest)
}

// FinishedRound describes a round in one line, without its end, by the run of each side.
func FinishedRound(runs []*record.Result) string {
	return joined(runs, ", ", func(r *record.Result) string {
		if !r.Checks.Hold() {
			return r.ComparisonRun.Side + " no figure, self-check failed: " + failedNames(r.Checks)
		}
		return r.ComparisonRun.Side + " " + meanCell(r)
	}) + " I/Os per Get"
}
