package report

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"getio/record"
	"getio/report/study"
)

// studied is a study of sweeps, reproductions, predictions, comparisons, chains, tables of
// L0 and stores of states, as far as the arguments name any.
func studied(t *testing.T, d *datadriven.TestData) *study.Study {
	var r record.Readings
	for _, from := range []struct {
		arg  string
		made map[string]func() []*record.Result
	}{{"sweep", sweeps}, {"reproduction", reproductions}, {"hostile", hostileNames}} {
		if results := pick(t, d, from.made, from.arg); results != nil {
			r.Results = append(r.Results, results()...)
		}
	}
	if made := pick(t, d, predictions, "prediction"); made != nil {
		r.Predictions = made()
	}
	if made := pick(t, d, comparisons, "comparison"); made != nil {
		r.Comparisons = made()
	}
	if made := pick(t, d, chains, "chain"); made != nil {
		r.Chains = made()
	}
	if made := pick(t, d, level0s, "level0"); made != nil {
		r.Level0s = made()
	}
	if made := pick(t, d, stateTables, "states"); made != nil {
		r.States = made()
	}
	return study.New(r)
}

// hostileNames are measurements whose texts a format might take for something else.
var hostileNames = map[string]func() []*record.Result{
	"names": func() []*record.Result {
		r := healthy()
		r.Dataset.Path = "data/<script>alert(1)</script> | `*_[x](y)_*`\r\n# heading"
		r.Dataset.Kind, r.Engine.Name, r.Engine.Version, r.Engine.Preset = "kind | of\n", "<b>engine</b>", "v&1\x00", "a b/c"
		failed := failedChecks()
		failed.Dataset, failed.Engine = r.Dataset, r.Engine
		failed.Checks[0].Name = "<i>check</i>|"
		return []*record.Result{r, failed}
	},
}
