package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// gateFormats write the verdicts of a gate, each with one entry per setting.
var gateFormats = []struct {
	name  string
	write func(io.Writer, []*record.Gate) error
}{
	{"text", gateLines},
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
	i := slices.Index(GateFormats(), format)
	if i < 0 {
		return fmt.Errorf("unknown format %q: use %s", format, units.Or(GateFormats()))
	}
	return gateFormats[i].write(w, lines)
}

// gateLines writes one line for each setting, however long, and what a rise is. In the log of a build
// at GitHub, :: or ##[ may begin a command, so neither is left.
func gateLines(w io.Writer, lines []*record.Gate) error {
	p := newPrinter(w)
	harmless := strings.NewReplacer("::", ": : ", "##[", "## [")
	for _, g := range lines {
		p.line(pad(say("gate verdict", g), labelWidth) + harmless.Replace(gateSentence(g)))
	}
	for _, note := range gateNotes(lines) {
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
	for _, note := range gateNotes(lines) {
		m.paragraph(note)
	}
	_, err := io.WriteString(w, m.text.String())
	return err
}

// gateSentence is the setting and what was found about it, in one line.
func gateSentence(g *record.Gate) string {
	return units.OneLine(g.Setting) + ": " + units.OneLine(gateFinding(g))
}

// gateFinding is what was found about a setting: why the gate cannot tell, the figures that rose, fell or are
// always of interest, and what was changed.
func gateFinding(g *record.Gate) string {
	t := gateText{Gate: g}
	for _, verdict := range []string{record.GateRise, record.GateFall, record.GateCannotTell, record.GateNone} {
		for _, f := range g.Figures {
			always := f.Metric == record.MetricIOs || f.Metric == record.MetricBytes
			switch {
			case f.Verdict == verdict && (always || verdict == record.GateRise || verdict == record.GateFall):
				t.Told = append(t.Told, f)
			case f.Verdict == verdict && verdict == record.GateCannotTell && (f.Rise > 0 || g.Verdict != record.GateNone):
				t.MayHaveRisen = append(t.MayHaveRisen, f)
			}
		}
	}
	return strings.Join(sentences("gate finding", t), "; ")
}

type gateText struct {
	*record.Gate
	Told         []record.GateFigure // those that rose, fell or are always of interest
	MayHaveRisen []record.GateFigure // components; if there was no rise, only those that rose in the records, perhaps by chance
}

func gateFell(g *record.Gate) bool {
	return slices.ContainsFunc(g.Figures, func(f record.GateFigure) bool {
		return f.Metric == record.MetricIOs && f.Verdict == record.GateFall
	})
}

func gateValue(f record.GateFigure, v float64) string {
	if f.Metric == record.MetricBytes {
		return units.MeanSize(v)
	}
	return units.IOs(v)
}

// gateChange writes a rise as a share or, of a figure too small for that, per Get.
func gateChange(f record.GateFigure, rise float64) string {
	if !f.PerGet {
		return signedShare(rise)
	}
	return units.If(rise > 0, "+") + gateValue(f, rise)
}

// gateNotes say what a rise is; there are none without figures.
func gateNotes(lines []*record.Gate) []string {
	n := 0
	for _, g := range lines {
		n += len(g.Figures)
	}
	i := slices.IndexFunc(lines, func(g *record.Gate) bool { return g.Confidence > 0 })
	if i < 0 {
		return nil
	}
	return sentences("rise", map[string]any{"MaxRise": lines[i].MaxRise, "Compared": n, "PercentEach": 100 * lines[i].Confidence})
}

// gateGitHub writes workflow commands, which GitHub shows as annotations of a build.
func gateGitHub(w io.Writer, lines []*record.Gate) error {
	levels := map[string]string{record.GateNone: "notice", record.GateCannotTell: "warning"}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	p := newPrinter(w)
	for _, g := range lines {
		level := cmp.Or(levels[g.Verdict], "error")
		p.line(fmt.Sprintf("::%s title=getio gate %s::%s", level, say("gate verdict", g), data.Replace(gateSentence(g))))
	}
	return p.flush()
}

// The elements of a JUnit report.
type (
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// gateJUnit writes a test case for each setting. A rise is a failure; what has no verdict is an error.
func gateJUnit(w io.Writer, lines []*record.Gate) error {
	suite := junitSuite{Name: "getio gate", Tests: len(lines)}
	for _, g := range lines {
		c := junitCase{Class: "getio.gate", Name: units.OneLine(g.Setting)}
		finding := units.OneLine(gateFinding(g))
		problem := &junitProblem{Type: g.Verdict, Message: finding}
		switch g.Verdict {
		case record.GateNone:
			c.Output = finding
		case record.GateRise:
			c.Failure = problem
			suite.Failures++
		default:
			c.Error = problem
			suite.Errors++
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}{Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
