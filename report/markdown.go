package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"getio/quantity"
	"getio/record"
	"getio/study"
)

// Markdown writes a study as a page of GitHub's Markdown: what was found, and for each
// curve its figures and how they were obtained. Text of the records stays text,
// whatever is in it. Of a run whose self-checks failed, no figure is written.
func Markdown(w io.Writer, s *study.Study) error {
	var m markdown
	m.paragraph("# I/Os per Get")
	m.paragraph("## Findings")
	for _, c := range s.Curves {
		m.paragraph("**" + literal(c.Name) + "**")
		m.list(Findings(c))
	}
	for _, c := range s.Curves {
		m.paragraph("## " + literal(c.Name))
		m.paragraph(markdownTable(c))
		m.list(curveNotes(c))
	}
	_, err := io.WriteString(w, m.text.String())
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

// literal makes text one line of Markdown that reads as it is: what Markdown or HTML
// might take for something else is escaped.
func literal(s string) string {
	return escaped.Replace(oneLine(s))
}

// escaped has entities where a backslash would not do in tables or in HTML.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;",
	"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#", "$", "\\$")

// oneLine has single blanks for all white space, and a sign for what cannot be printed.
func oneLine(s string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	return strings.Join(strings.Fields(printable), " ")
}

// curveNotes say what the table means, and how its figures came about.
func curveNotes(c *study.Curve) (notes []string) {
	if shape := c.Shape(); shape != nil {
		note := fmt.Sprintf("IP1 (%s): filters that Get consults, top indexes. IP2 (%s): these and all index blocks.", quantity.Size(shape.IP1Bytes), quantity.Size(shape.IP2Bytes))
		if reads := shape.WorstCaseReads; reads > 0 {
			note += fmt.Sprintf(" Worst case: %s per Get.", quantity.Plural(int64(reads), "read"))
		}
		notes = append(notes, note)
	}
	if slices.ContainsFunc(c.Runs, estimated) {
		notes = append(notes, "~ is estimated: the engine counts index and data accesses as one sum.")
	}
	if slices.ContainsFunc(c.Runs, func(r *record.Result) bool { return len(r.Continued) > 0 }) {
		notes = append(notes, "After more Gets: where a run was not steady, reading went on with the cache as it was; the figure is of the last of these runs.")
	}
	for _, r := range study.BySize(c.Failed) {
		notes = append(notes, fmt.Sprintf("FAILED at %s: self-check %s; none of its figures is printed.", cacheSize(r), literal(failedNames(r))))
	}
	runs := slices.Concat(c.Runs, c.Failed)
	for _, aspect := range []struct {
		label string
		of    func(*record.Result) string
	}{
		{"Database", func(r *record.Result) string { return database(r.Dataset) }},
		{"Engine", func(r *record.Result) string { return engineText(r.Engine) }},
		{"Gets", getsText},
		{"Warm-up", func(r *record.Result) string {
			return fmt.Sprintf("%s Gets (rule: %s)", warmup(r.Workload), textOf(r.Workload.WarmupRule))
		}},
		{"Page cache", func(r *record.Result) string { return pageCache(r.Device.PageCache) }},
	} {
		if texts := different(runs, aspect.of); texts != "" {
			notes = append(notes, aspect.label+": "+literal(texts))
		}
	}
	if texts := different(c.Predictions, predictedBy); texts != "" {
		notes = append(notes, "Predicted: "+literal(texts))
	}
	return notes
}

// different are the texts of records, each once.
func different[R any](records []R, of func(R) string) string {
	var texts []string
	for _, r := range records {
		if text := of(r); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; or ")
}

func predictedBy(p *record.Prediction) string {
	by := "for " + textOf(p.Of) + ", read by " + textOf(p.Library) + ", by the method " + textOf(p.Method)
	if p.Cache.Policy != "" {
		by += " with a cache of " + p.Cache.Policy
	}
	return by
}
