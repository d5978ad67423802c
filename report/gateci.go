package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// gateGitHub writes workflow commands, which GitHub shows as annotations of a build.
func gateGitHub(w io.Writer, lines []*record.Gate) error {
	command := map[string]string{record.GateNone: "notice", record.GateCannotTell: "warning"}
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	p := newPrinter(w)
	for _, g := range lines {
		level := command[g.Verdict]
		if level == "" {
			level = "error"
		}
		p.line(fmt.Sprintf("::%s title=getio gate %s::%s", level, say("gate verdict", gateText{Gate: g}), data.Replace(gateSentence(g))))
	}
	return p.flush()
}

// The elements of a JUnit report.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   junitSuite
	}
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
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
	text, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
