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

// Markdown writes a study in GitHub's Markdown: findings, the figures of each curve and their
// provenance, and the other sections as the text that their commands print. Text of records stays
// text, whatever it is. No figure is written of a run whose self-checks failed.
func Markdown(w io.Writer, s *study.Study) error {
	sections, err := Sections(s)
	if err != nil {
		return err
	}
	var m markdown
	m.paragraph("# " + Title(s))
	if text := Unfinished(s); text != "" {
		m.paragraph("**" + literal(text) + "**")
	}
	if len(s.Curves) > 0 || slices.ContainsFunc(sections, func(section Section) bool { return len(section.Findings) > 0 }) {
		m.paragraph("## Findings")
	}
	for _, c := range s.Curves {
		m.findings(c.Name, Findings(c))
	}
	for _, section := range sections {
		m.findings(section.Name, section.Findings)
	}
	for _, c := range s.Curves {
		m.paragraph("## " + literal(c.Name))
		m.paragraph(CurveTable(c).markdown())
		m.list(curveNotes(c))
	}
	for _, section := range sections {
		m.paragraph("## " + literal(section.Name))
		m.preformatted(section.Text)
	}
	_, err = io.WriteString(w, m.text.String())
	return err
}

// markdown is blocks with an empty line between them.
type markdown struct{ text strings.Builder }

func (m *markdown) paragraph(s string) {
	if m.text.Len() > 0 {
		m.text.WriteByte('\n')
	}
	m.text.WriteString(s + "\n")
}

func (m *markdown) list(items []string) {
	if len(items) > 0 {
		m.paragraph("- " + strings.Join(items, "\n- "))
	}
}

// findings writes those of a curve or section, if there are any.
func (m *markdown) findings(name string, sentences []string) {
	var items []string
	for _, sentence := range sentences {
		items = append(items, literal(sentence))
	}
	if len(items) > 0 {
		m.paragraph("**" + literal(name) + "**")
		m.list(items)
	}
}

// preformatted is a block of text between fences that no line of it contains.
func (m *markdown) preformatted(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	m.paragraph(fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence)
}

// literal makes text one line of Markdown that reads as it is: syntax of Markdown or HTML is escaped.
func literal(s string) string {
	return escaped.Replace(units.OneLine(s))
}

// escaped uses entities where a backslash would not do in tables or in HTML.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;",
	"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#", "$", "\\$")

// curveNotes explain the table and give the provenance of its figures.
func curveNotes(c *study.Curve) (notes []string) {
	if slices.ContainsFunc(c.Runs, estimated) {
		notes = append(notes, say("estimated", nil))
	}
	if slices.ContainsFunc(c.Runs, func(r *record.Result) bool { return len(r.Continued) > 0 }) {
		notes = append(notes, "After more Gets: a run that was not steady was continued with its cache; the figure is from the last continuation.")
	}
	if note := latencyNote(c.Runs); note != "" {
		notes = append(notes, note)
	}
	for _, r := range study.BySize(c.Failed) {
		notes = append(notes, literal(failedAt(cacheSize(r), r)))
	}
	for _, fact := range Provenance(c) {
		notes = append(notes, fact.Label+": "+literal(fact.Text))
	}
	return notes
}

func markdownRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" }

// markdown renders the table in GitHub's Markdown. Text of records stays text.
func (t *Table) markdown() string {
	header, rows := t.Document()
	lines := []string{markdownRow(header), markdownRow(slices.Repeat([]string{"---"}, len(header)))}
	for _, cells := range rows {
		for i := range cells {
			cells[i] = literal(cells[i])
		}
		lines = append(lines, markdownRow(cells))
	}
	return strings.Join(lines, "\n")
}

// Section is a part of a study other than its curves: the text that its command prints.
type Section struct {
	Name string
	// Findings are the sentences of the text that sum it up; tables without such sentences have none.
	Findings []string
	Text     string // lines of at most Width columns, of nothing but what can be printed
}

// Sections returns those of comparisons, of a client's operations, of tables of L0 and of state databases. The error is
// that the published claims, which stand beside the figures of state databases, cannot be read.
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
