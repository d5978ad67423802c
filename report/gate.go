package report

import (
	"fmt"
	"io"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// gateFormats write the verdicts of a gate, each with one entry per setting.
var gateFormats = []struct {
	name  string
	write func(io.Writer, []*record.Gate) error
}{
	{"text", gateText},
	{"md", gateMarkdown},
	{"github", gateGitHub},
	{"junit", gateJUnit},
}

// GateFormats lists the formats of Gate, the default one first.
func GateFormats() (names []string) {
	for _, f := range gateFormats {
		names = append(names, f.name)
	}
	return names
}

// Gate writes the verdicts of a gate in one of GateFormats. Text of records stays text in each of them.
func Gate(w io.Writer, format string, lines []*record.Gate) error {
	for _, f := range gateFormats {
		if f.name == format {
			return f.write(w, lines)
		}
	}
	return fmt.Errorf("unknown format %q: use %s", format, units.Or(GateFormats()))
}

// gateText writes one line for each setting, however long, and what a rise is. In the log of a build
// at GitHub, :: or ##[ may begin a command, so neither is left.
func gateText(w io.Writer, lines []*record.Gate) error {
	p := newPrinter(w)
	harmless := strings.NewReplacer("::", ": : ", "##[", "## [")
	for _, g := range lines {
		p.line(pad(say("gate verdict", g), labelWidth) + harmless.Replace(gateSentence(g)))
	}
	if note := gateNote(lines); note != "" {
		p.prose(note)
	}
	return p.flush()
}

func gateMarkdown(w io.Writer, lines []*record.Gate) error {
	var m markdown
	m.paragraph(newTable(lines,
		col("verdict", func(g *record.Gate) string { return say("gate verdict", g) }),
		col("setting", func(g *record.Gate) string { return g.Setting }),
		col("finding", gateFinding)).markdown())
	if note := gateNote(lines); note != "" {
		m.paragraph(note)
	}
	_, err := io.WriteString(w, m.text.String())
	return err
}
