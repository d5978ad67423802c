package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"getio/numbers/units"
	"getio/record"
)

// Width is the number of columns that every text of this package fits.
const Width = 80

// labelWidth is the column at which the text of a labelled line starts.
const labelWidth = 14

// printer collects a text, so that it reaches its writer in one piece.
type printer struct{ buf bytes.Buffer }

// writeTo replaces control characters, which names of files may have, so that they do not reach a terminal.
func (p *printer) writeTo(w io.Writer) error {
	text := bytes.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, p.buf.Bytes())
	_, err := w.Write(text)
	return err
}

func (p *printer) blank()             { p.buf.WriteByte('\n') }
func (p *printer) table(g *textTable) { p.buf.WriteString(g.String()) }
func (p *printer) line(s string)      { p.buf.WriteString(strings.TrimRight(s, " ") + "\n") }
func (p *printer) prose(s string)     { p.wrap("", s, 0) }

// Prose writes a text in lines of at most Width columns.
func Prose(s string) string {
	var p printer
	p.prose(s)
	return p.buf.String()
}

// field writes a labelled line; further lines are indented below its text.
func (p *printer) field(label, s string) { p.wrap(label, s, labelWidth) }

// failed writes the failed ones of the self-checks of something.
func (p *printer) failed(of string, checks record.Checks) {
	for _, c := range checks.Failed() {
		p.field("FAILED", fmt.Sprintf("%s%s: %s", of, c.Name, orAbsent(strings.TrimSpace(c.Detail))))
	}
}

// wrap writes s after a label, and indents further lines. A word is never broken: paths stay whole.
func (p *printer) wrap(label, s string, indent int) {
	line := pad(label, indent)
	room := false // whether the line has a word yet
	for _, word := range strings.Fields(s) {
		if room && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Width {
			p.line(line)
			line, room = strings.Repeat(" ", indent), false
		}
		if room {
			line += " "
		}
		line += word
		room = true
	}
	p.line(line)
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// orAbsent returns the text, or the sign of an absent figure for "".
func orAbsent(s string) string {
	if s == "" {
		return units.Absent
	}
	return s
}

// figure writes a figure, or the sign of an absent one for nil.
func figure(v *float64, write func(float64) string) string {
	if v == nil {
		return units.Absent
	}
	return write(*v)
}

// absent returns n cells without a figure.
func absent(n int) []string { return slices.Repeat([]string{units.Absent}, n) }
