package report

import (
	"embed"
	"io"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"strings"
	"text/template"
	"time"

	"getio/numbers/units"
	"getio/report/study"
)

// The texts of reports are templates, which look like what they write. A section begins with its name in
// brackets. A line whose first 14 columns end in two blanks has a label. The label " is that of the line above,
// which is written once. Indented lines continue the line above, an empty line is one, and a line after | is not wrapped. A line is left out if nothing remains of it. A section of one line without a label is a
// phrase, which other texts and code use.
//
//go:embed texts
var textFiles embed.FS

// sameLabel is a label like that of the line above.
const sameLabel = `"`

// textLine is a line of a text before it is wrapped.
type textLine struct {
	label    string
	indent   int
	verbatim bool               // not wrapped
	text     *template.Template // nil for an empty line
}

var (
	phrases  = template.New("").Funcs(textFuncs)
	sections = readTexts()
)

var (
	comment   = regexp.MustCompile(`(?m)^#.*\n`)
	continued = regexp.MustCompile(`\n +`)
	labelled  = regexp.MustCompile(`^(.{12})  (.*)$`)
)

func readTexts() map[string][]textLine {
	all := map[string][]textLine{}
	files, _ := fs.Glob(textFiles, "texts/*.txt")
	for _, name := range files {
		content, _ := textFiles.ReadFile(name)
		content = continued.ReplaceAll(comment.ReplaceAll(content, nil), []byte(" "))
		for section := range strings.SplitSeq(string(content), "\n[") {
			name, lines, _ := strings.Cut(strings.TrimPrefix(section, "["), "]\n")
			for line := range strings.SplitSeq(strings.TrimRight(lines, "\n"), "\n") {
				all[name] = append(all[name], newTextLine(name, line))
			}
		}
	}
	return all
}

func newTextLine(section, line string) textLine {
	if line == "" {
		return textLine{}
	}
	if parts := labelled.FindStringSubmatch(line); parts != nil {
		return textLine{label: strings.TrimSpace(parts[1]), indent: labelWidth, text: template.Must(phrases.New(section + "/" + strings.TrimSpace(parts[1])).Parse(parts[2]))}
	}
	line, verbatim := strings.CutPrefix(line, "|")
	return textLine{verbatim: verbatim, text: template.Must(phrases.New(section).Parse(line))}
}

// text writes a section about a record.
func (p *printer) text(section string, of any) {
	label := "" // of the line or of those above, unless they have it
	for _, line := range sections[section] {
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
	for _, line := range sections[section] {
		if s := executed(line.text, of); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// say returns a phrase about a record.
func say(phrase string, of any) string { return executed(phrases.Lookup(phrase), of) }

func executed(t *template.Template, of any) string {
	var text strings.Builder
	if err := t.Execute(&text, of); err != nil {
		panic(err) // as a mistake in code would
	}
	return text.String()
}

// textFuncs are what texts call besides the methods of records.
var textFuncs = template.FuncMap{
	"size": ofCount(units.Size), "sizeOf": ofCount(units.SizeOf), "count": ofCount(units.Count), "comma": ofCount(units.Comma), "commaOf": ofCount(units.CommaOf),
	"plural":  func(n any, thing string, things ...string) string { return units.Plural(integer(n), thing, things...) },
	"shareOf": func(part, whole any) string { return units.PercentOf(integer(part), integer(whole)) },
	"div":     func(a, b any) float64 { return number(a) / number(b) },
	"abs":     math.Abs, "ios": units.IOs, "digits": units.ThreeDigits, "meanSize": units.MeanSize, "percent": units.Percent, "signed": units.SignedPercent,
	"oneLine": units.OneLine, "join": strings.Join, "shortened": shortened, "upper": upper, "direction": direction, "perSecond": perSecond,
	"cacheSize": cacheSize, "fractionOfDB": fractionOfDB, "failedNames": failedNames, "belowPoint": belowPoint, "machine": machine,
	"popularKeys": popularKeys, "cacheContents": cacheContents, "notablyOff": notablyOff, "thousandths": units.Thousandths,
	"sideLabel": sideLabel, "componentName": componentName, "differenceWithoutSign": differenceWithoutSign,
	"differenceBound": differenceBound, "driftingSide": driftingSide,
	"countAre": countAre, "sizes": sizes, "bySize": study.BySize, "reachedWords": reachedWords, "warmupOf": warmupOf,
	"iosPerGet": iosPerGet, "meanCell": meanCell, "halfWidth": halfWidth, "steadyCell": steadyCell, "gateValue": gateValue, "gateChange": gateChange,
	"percentMissing": func(found float64) float64 { return 100 * (1 - found) },
	"microseconds":   microseconds, "round": math.Round,
	"least": func(a, b any) int64 { return min(integer(a), integer(b)) },
	"off":   func(is, of any) float64 { return 100 * (number(is)/number(of) - 1) },
	"duration": func(seconds float64, precision string) (string, error) {
		to, err := time.ParseDuration(precision)
		return time.Duration(seconds * float64(time.Second)).Round(to).String(), err
	},
}

func ofCount(write func(int64) string) func(any) string {
	return func(n any) string { return write(integer(n)) }
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
