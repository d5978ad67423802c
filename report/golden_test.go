package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
)

// TestGolden prints fixtures, each with the function of the command's name.
// `go test ./report --rewrite` writes what is printed as what is expected.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out := render(t, d)
			requireCalm(t, d.Cmd, out)
			return out
		})
	})
}

func render(t *testing.T, d *datadriven.TestData) string {
	var out bytes.Buffer
	var err error
	switch d.Cmd {
	case "inspect":
		info := pick(t, d, infos, "info")
		err = Inspect(&out, info, pick(t, d, shapes, "shape"), pick(t, d, manifests, "manifest"), pick(t, d, chainsMade, "made"), pick(t, d, configs, "config"))
	case "properties":
		err = Properties(&out, publishedProperties())
	case "measurement":
		err = Measurement(&out, pick(t, d, measurements, "of")())
	case "sweep":
		err = Sweep(&out, pick(t, d, sweeps, "of")())
	case "reproduction":
		err = Reproduction(&out, pick(t, d, reproductions, "of")())
	case "prediction":
		err = Predictions(&out, pick(t, d, predictions, "of")())
	case "categories":
		err = Categories(&out, pick(t, d, censuses, "of"))
	case "chain":
		err = Chain(&out, pick(t, d, chains, "of")())
	case "level0":
		err = Level0(&out, pick(t, d, level0s, "of")())
	case "comparison":
		err = Comparison(&out, pick(t, d, comparisons, "of")())
	case "comparisonbench":
		err = ComparisonBenchmarks(&out, comparedRuns())
	case "chainmade":
		err = ChainMade(&out, "data/chain", pick(t, d, chainsMade, "of"))
	case "states":
		err = States(&out, pick(t, d, stateTables, "of")())
	case "count":
		err = ExternalCount(&out, pick(t, d, externalCounts, "of"))
	case "advice":
		err = Advice(&out, pick(t, d, advices, "of")())
	case "finished":
		_, err = fmt.Fprintln(&out, Finished(pick(t, d, measurements, "of")()))
	case "finished_reproduction":
		for _, r := range pick(t, d, reproductions, "of")() {
			_, err = fmt.Fprintln(&out, Finished(r))
		}
	case "curve":
		points := sweeps
		if d.HasArg("reproduction") {
			points = reproductions
		}
		err = Curve(&out, pick(t, d, points, "of")())
	case "benchlog":
		err = benchLog(&out, d)
	case "markdown":
		err = Markdown(&out, studied(t, d))
	case "benchmarks":
		err = Benchmarks(&out, studied(t, d))
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return out.String()
}

// pick takes the fixture that the argument names; none is the zero one.
func pick[V any](t *testing.T, d *datadriven.TestData, fixtures map[string]V, arg string) (v V) {
	name := ""
	d.MaybeScanArgs(t, arg, &name)
	if name == "" {
		return v
	}
	v, ok := fixtures[name]
	if !ok {
		d.Fatalf(t, "no fixture %q for %s", name, arg)
	}
	return v
}

func benchLog(out *bytes.Buffer, d *datadriven.TestData) error {
	l := NewBenchLog(out)
	switch {
	case d.HasArg("load"):
		l.Start(32, 200_000_000, true, 0, 0)
		l.InitWrite(200_000_000, 153_762*time.Millisecond)
		l.State("the library's text\n")
	case d.HasArg("update"):
		l.Start(1, 1000, false, 10, 0)
		l.RandomUpdate(10, 1500*time.Microsecond)
	default:
		l.Start(64, 200_000_000, false, 0, 10_000_000)
		l.WarmedUp(publishedWarmup())
		l.RandomRead(publishedRun(), 10_000_000, 141_532*time.Millisecond)
		l.State("the library's text\n")
		l.CacheStatistics(publishedRun())
	}
	return l.Err()
}

// requireCalm holds the text against the rules for all texts of the package.
// Other tools' formats have their own widths.
func requireCalm(t *testing.T, cmd, out string) {
	t.Helper()
	if strings.ContainsRune(out, '\x1b') {
		t.Errorf("%s prints escape codes:\n%s", cmd, out)
	}
	if strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
		t.Errorf("%s prints what is no number:\n%s", cmd, out)
	}
	if slices.Contains([]string{"benchlog", "properties", "markdown", "benchmarks", "comparisonbench"}, cmd) {
		return
	}
	for _, line := range strings.Split(out, "\n") {
		if n := utf8.RuneCountInString(line); n > Width {
			t.Errorf("%s prints a line of %d columns:\n%s", cmd, n, line)
		}
		if strings.TrimRight(line, " \t") != line {
			t.Errorf("%s prints blanks at the end of %q", cmd, line)
		}
	}
}
