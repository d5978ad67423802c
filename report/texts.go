package report

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"time"

	"getio/numbers/units"
	"getio/report/study"
)

// The texts of reports are templates, which look like what they write. A section begins with its name in brackets. A
// line whose first 14 columns end in two blanks has a label. The label " is that of the line above, which is written
// once. Indented lines continue the line above, an empty line is one, and a line after | is not wrapped. A line is left
// out if nothing remains of it. A section of one line without a label is a phrase, which other texts and code use.
//
//go:embed texts
var textFiles embed.FS

// sameLabel is a label like that of the line above.
const sameLabel = `"`

// texts are the sections by name, and the templates of their lines. The first line has the name of its section.
type texts struct {
	sections map[string][]textLine
	phrases  *template.Template
}

// textLine is a line of a text before it is wrapped.
type textLine struct {
	label    string
	indent   int
	verbatim bool               // not wrapped
	text     *template.Template // nil for an empty line
}

var (
	comment   = regexp.MustCompile(`(?m)^#.*\n`)
	continued = regexp.MustCompile(`\n +`)
	labelled  = regexp.MustCompile(`^(.{12})  (.*)$`)
)

// allTexts are read once a report needs them.
var allTexts = sync.OnceValue(func() *texts {
	all := &texts{map[string][]textLine{}, template.New("").Funcs(textFuncs())}
	files, _ := fs.Glob(textFiles, "texts/*.txt")
	for _, name := range files {
		content, _ := textFiles.ReadFile(name)
		content = continued.ReplaceAll(comment.ReplaceAll(content, nil), []byte(" "))
		for section := range strings.SplitSeq(string(content), "\n[") {
			name, lines, _ := strings.Cut(strings.TrimPrefix(section, "["), "]\n")
			for line := range strings.SplitSeq(strings.TrimRight(lines, "\n"), "\n") {
				all.add(name, line)
			}
		}
	}
	return all
})

func (t *texts) add(section, line string) {
	name := section
	if n := len(t.sections[section]); n > 0 {
		name = fmt.Sprintf("%s, line %d", section, n+1)
	}
	var l textLine
	if parts := labelled.FindStringSubmatch(line); parts != nil {
		l.label, l.indent, line = strings.TrimSpace(parts[1]), labelWidth, parts[2]
	}
	if line != "" {
		line, l.verbatim = strings.CutPrefix(line, "|")
		l.text = template.Must(t.phrases.New(name).Parse(line))
	}
	t.sections[section] = append(t.sections[section], l)
}

// text writes a section about a record.
func (p *printer) text(section string, of any) {
	label := "" // of the line or of those above, unless they have it
	for _, line := range allTexts().sections[section] {
		if line.text == nil {
			p.blank()
			continue
		}
		if line.label != sameLabel {
			label = line.label
		}
		switch s := executed(line.text, of); {
		case strings.TrimSpace(s) == "":
		case line.verbatim:
			p.line(s)
		default:
			p.wrap(label, s, line.indent)
			label = ""
		}
	}
}

// writeText writes a report that is one section.
func writeText(w io.Writer, section string, of any) error {
	p := newPrinter(w)
	p.text(section, of)
	return p.flush()
}

// sentences returns the lines of a section that remain.
func sentences(section string, of any) (all []string) {
	for _, line := range allTexts().sections[section] {
		if s := executed(line.text, of); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// say returns a phrase about a record.
func say(phrase string, of any) string { return executed(allTexts().phrases.Lookup(phrase), of) }

func executed(t *template.Template, of any) string {
	var text strings.Builder
	if err := t.Execute(&text, of); err != nil {
		panic(err) // as a mistake in code would
	}
	return text.String()
}

// textFuncs returns what texts call besides the methods of records.
func textFuncs() template.FuncMap {
	return template.FuncMap{
		// figures
		"size": ofCount(units.Size), "sizeOf": ofCount(unlessZero(units.Size)), "meanSize": units.MeanSize,
		"count": ofCount(units.Count), "comma": ofCount(units.Comma), "commaOf": ofCount(unlessZero(units.Comma)), "plural": plural,
		"percent": units.Percent, "signed": units.SignedPercent, "percentMissing": percentMissing, "shareOf": shareOf,
		"ios": units.IOs, "digits": units.ThreeDigits, "thousandths": units.Thousandths, "decimals": decimals, "perSecond": perSecond,
		"duration": duration, "time": timeText, "microseconds": microseconds,
		"abs": math.Abs, "round": math.Round, "div": div, "mul": mul, "least": least, "off": off,

		// words
		"oneLine": units.OneLine, "join": strings.Join, "shortened": shortened, "direction": direction, "countAre": countAre,

		// records
		"cacheSize": cacheSize, "fractionOfDB": fractionOfDB, "failedNames": failedNames, "belowPoint": belowPoint,
		"machine": machine, "lost": lost, "othersRead": othersRead, "tableFormats": tableFormats, "overwritten": overwritten, "popularKeys": popularKeys, "componentName": componentName,
		"iosPerGet": iosPerGet, "halfOf": func(ci *[2]float64) string { return decimals(half(*ci)) }, "meanCell": meanCell, "halfWidth": halfWidth, "driftCell": driftCell,
		"sizes": sizes, "bySize": study.BySize, "reachedWords": reachedWords, "warmupOf": warmupOf,
		"cacheContents": cacheContents, "gateFell": gateFell, "gateValue": gateValue, "gateChange": gateChange,
		"sideLabel": sideLabel, "driftingSide": driftingSide,
		"differenceBound": differenceBound, "differenceInWords": differenceInWords, "tellsDifference": tellsDifference,
	}
}

func ofCount(write func(int64) string) func(any) string {
	return func(n any) string { return write(integer(n)) }
}

func plural(n any, thing string, things ...string) string {
	return units.Plural(integer(n), thing, things...)
}

func shareOf(part, whole any) string { return units.PercentOf(integer(part), integer(whole)) }

func percentMissing(found float64) float64 { return 100 * (1 - found) }

func div(a, b any) float64 { return number(a) / number(b) }

func mul(a, b any) int64 { return integer(a) * integer(b) }

func direction(drift float64) string {
	if drift < 0 {
		return "falling"
	}
	return "rising"
}

func least(a, b any) int64 { return min(integer(a), integer(b)) }

// off is by how many per cent a figure is above another.
func off(is, of any) float64 { return 100 * (number(is)/number(of) - 1) }

// duration rounds seconds to a precision such as 1ms.
func duration(seconds float64, precision string) (string, error) {
	to, err := time.ParseDuration(precision)
	return time.Duration(seconds * float64(time.Second)).Round(to).String(), err
}

// integer and number take numbers of all kinds, which records have.
func integer(v any) int64 {
	switch n := reflect.Indirect(reflect.ValueOf(v)); {
	case n.CanInt():
		return n.Int()
	case n.CanUint():
		return int64(n.Uint())
	default:
		return int64(n.Float())
	}
}

func number(v any) float64 {
	if n := reflect.Indirect(reflect.ValueOf(v)); n.CanFloat() {
		return n.Float()
	}
	return float64(integer(v))
}
