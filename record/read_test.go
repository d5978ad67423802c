package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	aResult     = `{"schema":"getio.result/1","workload":{"gets":10},"ios_per_get":{"mean":1.5,"windows":[1.5]},"checks":[{"name":"regions","ok":true}]}`
	aPrediction = `{"schema":"getio.prediction/1","of":"small"}`
)

func TestReadTakesMeasurementsAndPredictions(t *testing.T) {
	var r Readings
	other := strings.Replace(aResult, ":10}", ":20}", 1)
	comparison := `{"schema":"getio.compare/1"}` + "\n"                                                                      // beside the runs that it is of
	for _, content := range []string{aResult + "\n" + comparison + aPrediction + "\n", "\ufeff\n" + other, aResult + "\n"} { // the last line may lack its end
		if err := r.Read(write(t, content)); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Results) != 2 || len(r.Predictions) != 1 || r.Results[1].IOsPerGet.Mean != 1.5 || r.Predictions[0].Of != "small" {
		t.Errorf("read %+v", r)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"empty":            {"", "holds no records"},
		"blank":            {"\n \n", "holds no records"},
		"cut short":        {aResult + "\n" + aResult[:40], "line 2 is cut short"},
		"cut in a word":    {aResult[:14], "line 1 is cut short"},
		"no JSON":          {aResult + "\nhello\n" + aResult + "\n", "line 2 is no record"},
		"no object":        {"[1]\n", "line 1 is no record (it is no object)"},
		"no schema":        {`{"a":1}` + "\n", "it has no schema"},
		"newer":            {`{"schema":"getio.result/2"}` + "\n", `version "2" of getio.result, and this getio knows getio.result/1`},
		"newer prediction": {`{"schema":"getio.prediction/7"}` + "\n", `version "7" of getio.prediction`},
		"another schema":   {aResult + "\n" + `{"schema":"getio.advice/1"}` + "\n", `line 2 is a record of schema "getio.advice/1"`},
		"wrong type":       {`{"schema":"getio.result/1","time":5}` + "\n", "line 1 is no getio.result/1 record"},
		"no Gets":          {`{"schema":"getio.result/1"}` + "\n", "without Gets"},
		"no I/Os":          {`{"schema":"getio.result/1","workload":{"gets":1}}` + "\n", "without I/Os per Get"},
		"no checks":        {strings.Replace(aResult, `{"name":"regions","ok":true}`, "", 1) + "\n", "without self-checks"},
		"impossible":       {strings.Replace(aResult, `"mean":1.5`, `"mean":-1.5`, 1) + "\n", "says -1.5 I/Os per Get"},
		"endless":          {strings.Replace(aResult, `"mean":1.5`, `"mean":1.5e308`, 1) + "\n", "which cannot be"},
	} {
		var r Readings
		path := write(t, c.content)
		err := r.Read(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := new(Readings).Read(filepath.Join(t.TempDir(), "nothing")); err == nil || !strings.Contains(err.Error(), "cannot be read") {
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
