package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"getio/numbers/units"
	"getio/record"
)

// Width is the number of columns that every text of this package fits. Tables take more where a terminal has it.
const Width = 80

// leastWidth is the narrowest terminal that tables are fitted to.
const leastWidth = 40

// labelWidth is the column at which the text of a labelled line starts.
const labelWidth = 14

// printer collects a text, so that it reaches its writer in one piece.
type printer struct {
	buf   bytes.Buffer
	to    io.Writer
	width int // of tables
}

// newPrinter writes to a terminal in its width, and elsewhere in that of all texts.
func newPrinter(to io.Writer) *printer {
	p := &printer{to: to, width: Width}
	if f, isFile := to.(*os.File); isFile {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			p.width = max(columns, leastWidth)
		}
	}
	return p
}

// flush replaces control characters, which names of files may have, so that they do not reach a terminal.
func (p *printer) flush() error {
	text := bytes.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, p.buf.Bytes())
	_, err := p.to.Write(text)
	return err
}

// table writes a table, and names the columns that did not fit.
func (p *printer) table(t *Table) {
	lines, missing := t.fit(p.width)
	p.buf.WriteString(lines)
	if len(missing) > 0 {
		p.prose("Columns left out for lack of space: " + strings.Join(missing, ", ") + ". --json prints all columns.")
	}
}

func (p *printer) blank()         { p.buf.WriteByte('\n') }
func (p *printer) line(s string)  { p.buf.WriteString(strings.TrimRight(s, " ") + "\n") }
func (p *printer) prose(s string) { p.wrap("", s, 0) }

// Prose writes a text in lines of at most Width columns.
func Prose(s string) string {
	p := newPrinter(nil)
	p.prose(s)
	return p.buf.String()
}

// field writes a labelled line; further lines are indented below its text.
func (p *printer) field(label, s string) { p.wrap(label, s, labelWidth) }

// each writes a labelled line for each text.
func (p *printer) each(label string, texts []string) {
	for _, s := range texts {
		p.field(label, s)
	}
}

// failed writes the failed ones of the self-checks of something.
func (p *printer) failed(of string, checks record.Checks) {
	for _, c := range checks.Failed() {
		p.field("FAILED", fmt.Sprintf("%s%s: %s", of, c.Name, cmp.Or(strings.TrimSpace(c.Detail), units.Absent)))
	}
}

// wrap writes s after a label, and indents further lines; nothing if s is empty. A word is never broken: paths stay whole.
func (p *printer) wrap(label, s string, indent int) {
	line, gap := pad(label, indent), ""
	for word := range strings.FieldsSeq(s) {
		if gap != "" && utf8.RuneCountInString(line+gap+word) > min(p.width, Width) {
			p.line(line)
			line, gap = pad("", indent), ""
		}
		line += gap + word
		gap = " "
	}
	if gap != "" {
		p.line(line)
	}
}

func pad(s string, width int) string { return fmt.Sprintf("%-*s", width, s) }

// whole, hundredths and decimals write a figure without decimals, with two and with three.
func whole(v float64) string      { return fmt.Sprintf("%.0f", v) }
func hundredths(v float64) string { return fmt.Sprintf("%.2f", v) }
func decimals(v float64) string   { return units.Thousandths(&v) }

// figureIf is a figure if it is known, and else the sign of an absent one.
func figureIf(known bool, text string) string {
	if !known {
		return units.Absent
	}
	return text
}

// unlessZero writes the sign of an absent figure for 0.
func unlessZero(write func(int64) string) func(int64) string {
	return func(n int64) string { return figureIf(n != 0, write(n)) }
}

// figure writes a figure, or the sign of an absent one for nil.
func figure[T any](v *T, write func(T) string) string {
	if v == nil {
		return units.Absent
	}
	return write(*v)
}

func shortened(text string, columns int) string {
	if runes := []rune(text); len(runes) > columns {
		return string(runes[:columns-3]) + "..."
	}
	return text
}
