package report

import (
	"io"
	"slices"
	"strings"

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

// literal makes text one line of Markdown that reads as it is: syntax of Markdown or HTML
// is escaped.
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
