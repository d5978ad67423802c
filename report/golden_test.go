package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/lsm"
	"getio/measure/database"
	"getio/record"
	"getio/report/study"
	"getio/workload/dataset"
)

// TestGolden prints the records of each case with the function of the command's name.
// A record is a line
//
//	KIND [TEMPLATE] [JSON]
//
// of a template of testdata/templates.json, changed by the JSON as a merge patch (RFC
// 7386), or of JSON alone. `go test ./report --rewrite` rewrites what is expected.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out bytes.Buffer
			if err := render(t, &out, d); err != nil {
				d.Fatalf(t, "%v", err)
			}
			requireCalm(t, d.Cmd, out.String())
			return out.String()
		})
	})
}

func render(t *testing.T, out *bytes.Buffer, d *datadriven.TestData) (err error) {
	in := input{t, d.Input}
	switch d.Cmd {
	case "inspect":
		return Inspect(out, in.inspection())
	case "measurement":
		return Measurement(out, first[record.Result](in, "result"))
	case "finished":
		for _, r := range all[record.Result](in, "result") {
			fmt.Fprintln(out, FinishedCache(r))
		}
	case "sweep":
		return Sweep(out, all[record.Result](in, "result"))
	case "curve":
		return Curve(out, all[record.Result](in, "result"))
	case "gate":
		for _, format := range GateFormats() {
			fmt.Fprintf(out, "-- %s --\n", format)
			if err := Gate(out, format, all[record.Gate](in, "gate")); err != nil {
				return err
			}
		}
	case "reproduction":
		return Reproduction(out, all[record.Result](in, "result"))
	case "plan":
		var cells []record.CellOutline
		for _, c := range all[record.CellOutline](in, "cell") {
			cells = append(cells, *c)
		}
		return Plan(out, cells)
	case "prediction":
		return Predictions(out, all[record.Prediction](in, "prediction"))
	case "watch":
		return Watch(out, first[record.Watch](in, "watch"))
	case "watchline":
		fmt.Fprintln(out, WatchLine(first[record.Watch](in, "watch")))
	case "categories":
		return Categories(out, first[record.Categories](in, "categories"))
	case "chain":
		return Chain(out, all[record.Chain](in, "chain"))
	case "chainmade":
		return ChainMade(out, "data/chain", first[record.ChainMade](in, "chainmade"))
	case "level0":
		return Level0(out, all[record.Level0](in, "level0"))
	case "comparison":
		return Comparison(out, all[record.Comparison](in, "comparison"))
	case "comparisonbench":
		var runs []*record.Result
		for _, lines := range strings.Split("\n"+in.lines, "\nside ")[1:] {
			label, of, _ := strings.Cut(lines, "\n")
			for _, r := range all[record.Result](input{t, of}, "result") {
				r.ComparisonRun = &record.ComparisonRun{Side: label}
				runs = append(runs, r)
			}
		}
		return ComparisonBenchmarks(out, runs)
	case "states":
		return States(out, all[record.State](in, "state"))
	case "count":
		return ExternalCount(out, first[record.ExternalCount](in, "count"))
	case "mdbx":
		return MDBX(out, first[record.MDBX](in, "mdbx"))
	case "diagnosis":
		return Diagnosis(out, first[record.Diagnosis](in, "diagnosis"))
	case "advice":
		return Advice(out, first[record.Advice](in, "advice"))
	case "markdown":
		return Markdown(out, in.study())
	case "benchmarks":
		return Benchmarks(out, in.study())
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	return nil
}

// input is the records of a case, one on a line.
type input struct {
	t     testing.TB
	lines string
}

// inspection describes a database as getio inspect does.
func (in input) inspection() *record.Inspection {
	info, shape, config := first[engine.Info](in, "info"), first[lsm.Shape](in, "shape"), first[map[string]string](in, "config")
	if info == nil {
		info = new(engine.Info)
	}
	known := shape
	if shape == nil {
		known = new(lsm.Shape)
	}
	r := database.NewInspection(*info, known, first[dataset.Manifest](in, "manifest"))
	r.Engine = record.Engine{Name: info.Engine, Version: info.Version}
	if r.Dataset == nil {
		r.Engine.ReadAs = info.ReadAs
	}
	if r.Made = first[record.ChainMade](in, "chainmade"); config != nil {
		r.Read = *config
	}
	return r
}

func (in input) study() *study.Study {
	return study.New(record.Set{
		Results: all[record.Result](in, "result"), Predictions: all[record.Prediction](in, "prediction"), Chains: all[record.Chain](in, "chain"),
		Level0s: all[record.Level0](in, "level0"), States: all[record.State](in, "state"), Comparisons: all[record.Comparison](in, "comparison"),
	})
}

// first returns the first record of a kind; nil if there is none.
func first[R any](in input, kind string) *R {
	if records := all[R](in, kind); len(records) > 0 {
		return records[0]
	}
	return nil
}

// all returns the records of a kind.
func all[R any](in input, kind string) (records []*R) {
	in.t.Helper()
	for line := range strings.Lines(in.lines) {
		of, from, _ := strings.Cut(strings.TrimSpace(line), " ")
		if of != kind {
			continue
		}
		template, patch, _ := strings.Cut(from, " ")
		value := any(map[string]any{})
		if strings.HasPrefix(template, "{") {
			patch = from
		} else {
			value = templateOf(in.t, kind+" "+template)
		}
		if patch != "" {
			value = merged(value, decoded(in.t, []byte(patch)))
		}
		if m := value.(map[string]any); m["shape"] != nil {
			if name, ok := m["shape"].(string); ok {
				m["shape"] = templateOf(in.t, "shape "+name)
			}
		}
		text, err := json.Marshal(value)
		require.NoError(in.t, err)
		fields := json.NewDecoder(bytes.NewReader(text))
		fields.DisallowUnknownFields()
		r := new(R)
		if err := fields.Decode(r); err != nil {
			in.t.Fatalf("%v in %s", err, line)
		}
		records = append(records, r)
	}
	return records
}

var templates = sync.OnceValues(func() (templates map[string]json.RawMessage, err error) {
	text, err := os.ReadFile("testdata/templates.json")
	if err == nil {
		err = json.Unmarshal(text, &templates)
	}
	return templates, err
})

func templateOf(t testing.TB, name string) any {
	t.Helper()
	all, err := templates()
	require.NoError(t, err)
	require.NotNil(t, all[name], "no template %q", name)
	return decoded(t, all[name])
}

func decoded(t testing.TB, text []byte) (value any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&value), "in %s", text)
	return value
}

// merged applies a merge patch.
func merged(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	of, ok := value.(map[string]any)
	if !ok {
		of = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(of, name)
		} else {
			of[name] = merged(of[name], change)
		}
	}
	return of
}

// result is a record of the template healthy, changed by a merge patch.
func result(t testing.TB, patch string) *record.Result {
	t.Helper()
	return first[record.Result](input{t, "result healthy " + strings.ReplaceAll(patch, "\n", " ")}, "result")
}

// failedResult is a record with a failed self-check.
func failedResult(t testing.TB) *record.Result {
	t.Helper()
	return result(t, `{"checks":[{"name":"regions","ok":false,"detail":"17 of 19692607 reads fit no block of the region map"}]}`)
}

// requireCalm checks the rules for all texts of the package. Formats of other tools have
// their own widths.
func requireCalm(t *testing.T, cmd, out string) {
	t.Helper()
	assert.False(t, strings.ContainsRune(out, '\x1b'), "%s prints escape codes:\n%s", cmd, out)
	if strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
		t.Errorf("%s prints a figure that is not a number:\n%s", cmd, out)
	}
	if slices.Contains([]string{"markdown", "benchmarks", "comparisonbench", "gate"}, cmd) {
		return
	}
	for _, line := range strings.Split(out, "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), Width, "%s: %s", cmd, line)
		assert.Equal(t, line, strings.TrimRight(line, " \t"), "%s prints blanks at the end", cmd)
	}
}
