package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"getio/numbers/units"
	"getio/record"
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
	pairs := study.BySide(lines)
	comparedSides(p, lines)
	for _, pair := range pairs {
		p.blank()
		p.line(pairTitle(pair))
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

// comparedSides explains the labels and describes the runs.
func comparedSides(p *printer, lines []*record.Comparison) {
	first := lines[0]
	sides := []record.ComparedSide{first.Base}
	for _, l := range lines {
		if !slices.ContainsFunc(sides, func(c record.ComparedSide) bool { return c.Label == l.Side.Label }) {
			sides = append(sides, l.Side)
		}
	}
	for _, c := range sides {
		p.field(sideLabel(c), sideDescription(c)+settingsApart(c, sides))
	}
	w := first.Workload
	rounds, most := roundsOf(lines)
	p.field("Rounds", fmt.Sprintf("%s, each side once in each, from an empty cache, in alternating order: %s Gets by %s, the same for all sides in a round (seeds %d to %d)",
		rounds, units.Comma(w.Gets), units.Plural(int64(w.Workers), "worker"), w.Seed, w.Seed+uint64(most)-1))
	p.field("Warm-up", comparedWarmup(lines))
	if !w.Popularity.Uniform() {
		p.field("Gets", popularKeys(w.Popularity))
	}
	if w.KeysFile != "" {
		p.field("Keys from", units.OneLine(w.KeysFile))
	}
	p.field("Caches", "the same memory for all sides; shares are of the database of "+sideLabel(first.Base))
	p.field("±", "half of the 95% interval, by Student's t over the rounds; for differences, over the log ratios of each round's two runs")
}

// roundsOf returns the number of rounds, in words and at most.
func roundsOf(lines []*record.Comparison) (text string, most int) {
	least := lines[0].Rounds
	for _, l := range lines {
		least, most = min(least, l.Rounds), max(most, l.Rounds)
	}
	if least < most {
		return fmt.Sprintf("%d to %d", least, most), most
	}
	return strconv.Itoa(most), most
}

// comparedWarmup is the number of Gets that warmed the caches up, the same for all sides.
func comparedWarmup(lines []*record.Comparison) string {
	w := lines[0].Workload
	least, most := w.WarmupGets, w.WarmupGets
	for _, l := range lines {
		least, most = min(least, l.Workload.WarmupGets), max(most, l.Workload.WarmupGets)
	}
	text := units.Comma(most)
	if least < most {
		text = units.Comma(least) + " to " + text + ", by cache,"
	}
	return fmt.Sprintf("%s Gets (rule: %s)", text, orAbsent(w.WarmupRule))
}

func sideDescription(c record.ComparedSide) string {
	text := fmt.Sprintf("%s (%s, %s), read by %s %s", c.Dataset.Path, c.Dataset.Kind, units.Size(c.Dataset.Bytes), c.Engine.Name, c.Engine.Version)
	if c.Lookup == record.LookupSeek {
		text += ", with iterators that consult the filters of the last level"
	}
	return text
}

// settingsApart returns the preset and the options in which a side differs from others
// with the same engine.
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

func pairTitle(pair []*record.Comparison) string {
	l := pair[0]
	return fmt.Sprintf("%s against %s, %s", sideLabel(l.Side), sideLabel(l.Base), requestedKeys(l.Workload))
}

// requestedKeys says which keys the Gets ask for.
func requestedKeys(w record.Workload) string {
	switch w.HitFraction {
	case 1:
		return "keys that exist"
	case 0:
		return "keys that do not exist"
	}
	return fmt.Sprintf("keys of which %s exist", units.Percent(w.HitFraction))
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
			rows = append(rows, comparedRow{comparedCache(l), nil})
		}
		rows = append(rows, comparedRow{"", l})
	}
	figure := func(name string, of func(*record.Comparison) string) column[comparedRow] {
		return col(name, func(r comparedRow) string {
			if r.Comparison == nil {
				return ""
			}
			return of(r.Comparison)
		})
	}
	p.table(newTable(rows,
		col("per Get", func(r comparedRow) string {
			if r.Comparison == nil {
				return r.cache
			}
			return "  " + metricName(r.Metric)
		}),
		figure(sideLabel(pair[0].Base), func(l *record.Comparison) string { return estimateCell(l.Metric, l.Base.Estimate) }),
		figure(sideLabel(pair[0].Side), func(l *record.Comparison) string { return estimateCell(l.Metric, l.Side.Estimate) }),
		figure("difference", differenceCell),
		figure("verdict", verdictCell).left()))
}

func comparedCache(l *record.Comparison) string {
	return fmt.Sprintf("%s %s", units.Size(l.Cache.Bytes), units.Percent(l.Cache.FractionOfDB))
}

// metricName is a metric in at most 14 columns.
func metricName(metric string) string {
	switch metric {
	case record.MetricIOs:
		return "I/Os"
	case record.MetricBytes:
		return "bytes"
	case record.MetricCPU:
		return "CPU us, noisy"
	}
	return "  " + strings.ReplaceAll(metric, "_", " ")
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
		sign := "+"
		if l.Difference.Mean <= 0 {
			sign = ""
		}
		return sign + estimateCell(l.Metric, l.Difference)
	}
	return signedShare(l.Ratio.Mean-1) + " ±" + share(l.Ratio.HalfWidth())
}

// verdictCell is the verdict in a few words.
func verdictCell(l *record.Comparison) string {
	switch l.Verdict {
	case record.VerdictNone:
		return "no difference"
	case record.VerdictUnsteady:
		return "unsteady"
	case record.VerdictTooFewGets:
		return "too few Gets"
	case record.VerdictUnbelievable:
		return "FAILED"
	}
	return l.Verdict
}

// driftingSide names the side that drifts most.
func driftingSide(l *record.Comparison) string {
	c := l.Base
	if math.Abs(l.Side.Drift.Mean) > math.Abs(c.Drift.Mean) {
		c = l.Side
	}
	return fmt.Sprintf("%s is %s by %s", sideLabel(c), direction(c.Drift.Mean), units.Percent(math.Abs(c.Drift.Mean)))
}

func comparisonNotes(p *printer, lines []*record.Comparison) {
	has := func(verdict string) bool {
		return slices.ContainsFunc(lines, func(l *record.Comparison) bool { return l.Verdict == verdict })
	}
	if has(record.VerdictUnsteady) {
		p.prose("Unsteady: one side still rises or falls in all rounds. Use a longer warm-up (--warmup) or more Gets (--gets).")
	}
	if has(record.VerdictTooFewGets) {
		p.prose("Too few Gets: the runs are too short to tell whether they are steady: raise --gets or --time.")
	}
	if has(record.VerdictUnbelievable) {
		p.prose("FAILED: a self-check of a run failed, so none of its figures is printed.")
	}
	if slices.ContainsFunc(lines, func(l *record.Comparison) bool { return l.Difference != nil && l.Ratio == nil }) {
		p.prose("Differences without % are per Get: the figure of one side is 0.")
	}
	if slices.ContainsFunc(lines, func(l *record.Comparison) bool { return l.Base.Dataset.Path != l.Side.Dataset.Path }) {
		p.prose("The intervals cover other Gets in these databases, not other databases: docs/method.md says by how much trees that were loaded alike differ.")
	}
}

// ComparisonFindings says in a sentence for each side by how much it reads less or more
// than the base with each cache.
func ComparisonFindings(lines []*record.Comparison) (sentences []string) {
	for _, pair := range study.BySide(lines) {
		var parts []string
		for _, l := range pair {
			if l.Metric == record.MetricIOs {
				parts = append(parts, verdictInWords(l)+" with a cache of "+units.Size(l.Cache.Bytes)+" ("+units.Percent(l.Cache.FractionOfDB)+")")
			}
		}
		if l := pair[0]; len(parts) > 0 {
			sentences = append(sentences, fmt.Sprintf("For %s, %s against %s: %s.", requestedKeys(l.Workload), sideLabel(l.Side), sideLabel(l.Base), strings.Join(parts, "; ")))
		}
	}
	return sentences
}

func verdictInWords(l *record.Comparison) string {
	by := strings.TrimLeft(differenceCell(l), "+-")
	switch l.Verdict {
	case record.VerdictLess:
		return by + " fewer I/Os per Get"
	case record.VerdictMore:
		return by + " more I/Os per Get"
	case record.VerdictNone:
		return fmt.Sprintf("no difference in %d rounds (%s)", l.Rounds, differenceBound(l))
	case record.VerdictUnsteady:
		return "no verdict (" + driftingSide(l) + ")"
	case record.VerdictTooFewGets:
		return "no verdict (too few Gets)"
	}
	return "NO FIGURE (a self-check failed)"
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
	parts := make([]string, len(runs))
	for i, r := range runs {
		label := r.ComparisonRun.Side
		parts[i] = label + " " + meanCell(r)
		if !r.Checks.Hold() {
			parts[i] = label + " no figure, self-check failed: " + failedNames(r)
		}
	}
	return strings.Join(parts, ", ") + " I/Os per Get"
}
