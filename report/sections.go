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

// Section is what a study has beside its curves: the text that the command prints of it.
type Section struct {
	Name string
	// Findings are the sentences of the text that say what was found; none where tables
	// have to speak for themselves.
	Findings []string
	Text     string // lines of at most Width columns, of nothing but what can be printed
}

// Sections are those of comparisons, of clients' operations, of tables of L0 and of stores
// of states. The error is that published claims, which tables of stores have beside their
// figures, cannot be read.
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
		name := "Stores of states"
		if stores.Name != "" {
			name += ", " + stores.Name
		}
		add(name, func(w io.Writer) error { return storesAndFailures(w, stores.Runs) })
	}
	return sections, err
}

// storesAndFailures writes the stores whose checks held, and which checks of others
// failed.
func storesAndFailures(w io.Writer, all []*record.State) error {
	good := slices.DeleteFunc(slices.Clone(all), func(r *record.State) bool { return !r.Checks.Hold() })
	if err := States(w, good); err != nil {
		return err
	}
	var p printer
	for _, r := range all {
		for _, c := range r.Checks.Failed() {
			p.field("FAILED", fmt.Sprintf("%s, %s keys: %s: %s", oneLine(r.Label), units.Comma(int64(r.Keys)), c.Name, orAbsent(c.Detail)))
		}
	}
	return p.writeTo(w)
}

// printable has a sign for what cannot be printed, but for the ends of lines.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Unfinished says that comparisons have no verdict yet; "" if all have.
func Unfinished(s *study.Study) string {
	if len(s.Unfinished) == 0 {
		return ""
	}
	var sides []string
	for _, r := range s.Unfinished {
		if side := oneLine(r.ComparisonRun.Side); !slices.Contains(sides, side) {
			sides = append(sides, side)
		}
	}
	return fmt.Sprintf("UNFINISHED COMPARISON of %s: %s here, without a verdict; each side takes %s with each cache. Run the same compare command again to finish it.",
		strings.Join(sides, ", "), countAre(len(s.Unfinished), "run"), units.Plural(int64(s.Unfinished[0].ComparisonRun.Rounds), "round"))
}

// Title is what a study is of.
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
