package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// Section is a part of a study other than its curves: the text that its command prints.
type Section struct {
	Name string
	// Findings are the sentences of the text that sum it up; tables without such
	// sentences have none.
	Findings []string
	Text     string // lines of at most Width columns, of nothing but what can be printed
}

// Sections returns those of comparisons, of a client's operations, of tables of L0 and of
// state databases. The error is that the published claims, which stand beside the figures
// of state databases, cannot be read.
func Sections(s *study.Study) (sections []Section, err error) {
	add := func(name string, write func(io.Writer) error, findings ...string) {
		if err != nil {
			return
		}
		var text strings.Builder
		err = write(&text)
		sections = append(sections, Section{Name: name, Findings: findings, Text: printable(text.String())})
	}
	for _, c := range s.Comparisons {
		add("Comparison, "+c.Name, func(w io.Writer) error { return Comparison(w, c.Lines) }, ComparisonFindings(c.Lines)...)
	}
	for _, c := range s.Chains {
		add("A client's operations, "+c.Name, func(w io.Writer) error { return Chain(w, c.Runs) })
	}
	for _, l := range s.Level0s {
		add("Tables of L0, "+l.Name, func(w io.Writer) error { return Level0(w, l.Runs) })
	}
	for _, stores := range s.Stores {
		add("State databases"+units.If(stores.Name != "", ", "+stores.Name), func(w io.Writer) error { return storesAndFailures(w, stores.Runs) })
	}
	return sections, err
}

// storesAndFailures writes the stores whose self-checks held, and the failed checks of the others.
func storesAndFailures(w io.Writer, all []*record.State) error {
	good := slices.DeleteFunc(slices.Clone(all), func(r *record.State) bool { return !r.Checks.Hold() })
	if err := States(w, good); err != nil {
		return err
	}
	p := newPrinter(w)
	for _, r := range all {
		p.failed(fmt.Sprintf("%s, %s keys: ", units.OneLine(r.Label), units.Comma(int64(r.Keys))), r.Checks)
	}
	return p.flush()
}

// printable replaces unprintable characters by a sign, except the ends of lines.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Unfinished says that comparisons have no verdict yet; "" if all have one.
func Unfinished(s *study.Study) string {
	if len(s.Unfinished) == 0 {
		return ""
	}
	sides := distinct(s.Unfinished, ", ", func(r *record.Result) string { return units.OneLine(r.ComparisonRun.Side) })
	return say("unfinished", map[string]any{"Sides": sides, "Runs": len(s.Unfinished), "Rounds": s.Unfinished[0].ComparisonRun.Rounds})
}

// Title says what kind of figures the study has.
func Title(s *study.Study) string {
	switch {
	case len(s.Curves) > 0 || len(s.Comparisons) > 0:
	case len(s.Chains) > 0 || len(s.Level0s) > 0:
		return "Reads per operation"
	case len(s.Stores) > 0:
		return "Reads per lookup"
	}
	return "I/Os per " + s.Operation().One
}
