package record

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const (
	aResult     = `{"schema":"getio.result/1","workload":{"gets":10},"ios_per_get":{"mean":1.5,"windows":[1.5]},"checks":[{"name":"regions","ok":true}]}`
	aPrediction = `{"schema":"getio.prediction/1","of":"small"}`
)

func TestSetTakesMeasurementsAndPredictions(t *testing.T) {
	var r Set
	other := strings.Replace(aResult, ":10}", ":20}", 1)
	for _, content := range []string{aResult + "\n" + aPrediction + "\n", "\ufeff\n" + other, aResult + "\n"} { // the last line may lack its end
		if err := r.ReadFile(write(t, content)); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Results) != 2 || len(r.Predictions) != 1 || r.Results[1].IOsPerGet.Mean != 1.5 || r.Predictions[0].Source != "small" {
		t.Errorf("read %+v", r)
	}
}

const (
	aChain  = `{"schema":"getio.chain/1","shape":{},"reads_per_operation":{"mean":2},"checks":[{"name":"regions","ok":true}]}`
	aLevel0 = `{"schema":"getio.l0/1","rows":[{"operations":{"get":{"reads_per_operation":{"mean":2}}},"checks":[{"name":"regions","ok":false}]}]}`
	aState  = `{"schema":"getio.state/2","keys":5,"load":{"seconds":1},"rows":[{"kind":"existing","cold":{"reads":3}}],"checks":[{"name":"reads","ok":true}]}`
)

// TestSetTakesOtherMeasurements: operations of clients, tables of L0, state databases, and
// the checks of all of them.
func TestSetTakesOtherMeasurements(t *testing.T) {
	var r Set
	if err := r.ReadFile(write(t, strings.Join([]string{aChain, aLevel0, aState, aResult}, "\n")+"\n")); err != nil {
		t.Fatal(err)
	}
	if len(r.Chains) != 1 || len(r.Level0s) != 1 || len(r.States) != 1 || len(r.Results) != 1 || len(r.Lines) != 4 {
		t.Errorf("read %+v", r)
	}
	if all := r.Checks(); len(all) != 4 || len(all.Failed()) != 1 {
		t.Errorf("checks %v", all)
	}
}

// TestStateIntervals: version 1 has half the width of the interval, version 2 its ends.
func TestStateIntervals(t *testing.T) {
	for line, want := range map[string]*[2]float64{
		changed(t, aState, "/2", "/1", `"reads":3`, `"reads":3,"ci95":0.5`): {2.5, 3.5},
		changed(t, aState, "/2", "/1", `"reads":3`, `"reads":3,"ci95":4`):   {0, 7},
		changed(t, aState, `"reads":3`, `"reads":3,"ci95":[2.5,3.5]`):       {2.5, 3.5},
		changed(t, aState, "/2", "/1"):                                      nil,
		aState:                                                              nil,
	} {
		var r Set
		path := write(t, line+"\n")
		if err := r.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		states, err := ReadStates(path)
		if err != nil || len(states) != 1 || !reflect.DeepEqual(states, r.States) {
			t.Fatalf("%s: %v, %v", line, states, err)
		}
		if got := states[0].Rows[0].Cold; got.Reads != 3 || !reflect.DeepEqual(got.CI95, want) {
			t.Errorf("%s: interval %v of %v", line, got.CI95, got.Reads)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty":             {"", "holds no records"},
		"blank":             {"\n \n", "holds no records"},
		"cut short":         {aResult + "\n" + aResult[:40], "line 2 is cut short"},
		"cut in a word":     {aResult[:14], "line 1 is cut short"},
		"no JSON":           {aResult + "\nhello\n" + aResult + "\n", "line 2 is not a record"},
		"no object":         {"[1]\n", "line 1 is not a record (not a JSON object)"},
		"no schema":         {`{"a":1}` + "\n", "it has no schema"},
		"newer":             {`{"schema":"getio.result/2"}` + "\n", `version "2" of getio.result, and this getio knows getio.result/1`},
		"newer comparison":  {`{"schema":"getio.compare/2"}` + "\n", `version "2" of getio.compare, and this getio knows getio.compare/1`},
		"newer prediction":  {`{"schema":"getio.prediction/7"}` + "\n", `version "7" of getio.prediction`},
		"another schema":    {aResult + "\n" + `{"schema":"getio.advice/1"}` + "\n", `line 2 is a record of schema "getio.advice/1", which is not a measurement, comparison or prediction`},
		"newer chain":       {`{"schema":"getio.chain/2"}` + "\n", `version "2" of getio.chain, and this getio knows getio.chain/1`},
		"no shape":          {strings.Replace(aChain, `"shape":{},`, "", 1) + "\n", "without the shape"},
		"no chain checks":   {strings.Replace(aChain, `{"name":"regions","ok":true}`, "", 1) + "\n", "without self-checks"},
		"no rows":           {`{"schema":"getio.l0/1"}` + "\n", "without numbers of tables"},
		"no row":            {`{"schema":"getio.l0/1","rows":[null]}` + "\n", "without one of its numbers of tables"},
		"impossible row":    {strings.Replace(aLevel0, `"mean":2`, `"mean":-2`, 1) + "\n", "says -2 reads per operation"},
		"no row checks":     {strings.Replace(aLevel0, `{"name":"regions","ok":false}`, "", 1) + "\n", "without self-checks"},
		"no row of figures": {strings.Replace(aLevel0, `"operations":{"get":{"reads_per_operation":{"mean":2}}},"checks":[{"name":"regions","ok":false}]`, "", 1) + "\n", "without self-checks"},
		"negative bytes":    {strings.Replace(aLevel0, `"rows":[{`, `"rows":[{"index_bytes":-5,`, 1) + "\n", "says -5 bytes of indexes"},
		"endless interval":  {strings.Replace(aChain, `"mean":2`, `"mean":2,"ci95":[1,1e300]`, 1) + "\n", "says 1e+300 reads per operation"},
		"endless tables":    {strings.Replace(aChain, `"shape":{}`, `"shape":{},"per_operation":{"tables":1e300}`, 1) + "\n", "says 1e+300 for an operation"},
		"no lookups":        {strings.Replace(aState, `{"kind":"existing","cold":{"reads":3}}`, "", 1) + "\n", "without lookups"},
		"endless budget":    {strings.Replace(aState, `"cold":{"reads":3}`, `"cold":{"reads":3},"budgets":[{"share":0.1,"lru":{"reads":-1e300}}]`, 1) + "\n", "says -1e+300 reads per lookup"},
		"endless keys":      {strings.Replace(aState, `"keys":5`, `"keys":18446744073709551615`, 1) + "\n", "without loaded keys"},
		"no keys":           {strings.Replace(aState, `"keys":5`, `"keys":0`, 1) + "\n", "without loaded keys"},
		"impossible state":  {strings.Replace(aState, `"reads":3`, `"reads":-3`, 1) + "\n", "says -3 reads per lookup"},
		"wrong type":        {`{"schema":"getio.result/1","time":5}` + "\n", "line 1 is not a valid getio.result/1 record"},
		"no Gets":           {`{"schema":"getio.result/1"}` + "\n", "without Gets"},
		"no I/Os":           {`{"schema":"getio.result/1","workload":{"gets":1}}` + "\n", "without I/Os per Get"},
		"no checks":         {strings.Replace(aResult, `{"name":"regions","ok":true}`, "", 1) + "\n", "without self-checks"},
		"impossible":        {strings.Replace(aResult, `"mean":1.5`, `"mean":-1.5`, 1) + "\n", "says -1.5 I/Os per Get"},
		"endless":           {strings.Replace(aResult, `"mean":1.5`, `"mean":1.5e308`, 1) + "\n", "which is impossible"},
	} {
		var r Set
		path := write(t, c.content)
		err := r.ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := new(Set).ReadFile(filepath.Join(t.TempDir(), "nothing")); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
