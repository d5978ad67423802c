package report

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
	"getio/report/study"
)

// TestNoFigureOfAFailedRun looks for the figures of a failed run in all texts about it.
func TestNoFigureOfAFailedRun(t *testing.T) {
	r := failedResult(t)
	results := []*record.Result{result(t, `{"cache":{"bytes":220200960},"ios_per_get":{"mean":1.04},"bytes_per_get":3847.538,
		"block_cache":{"hit_rate":0.895},"components":{"index":{"hit_rate":0.987}}}`), r}
	for name, write := range map[string]func(io.Writer) error{
		"measurement": func(w io.Writer) error { return Measurement(w, r) },
		"sweep":       func(w io.Writer) error { return Sweep(w, results) },
		"curve":       func(w io.Writer) error { return Curve(w, []*record.Result{r}) },
		"markdown":    func(w io.Writer) error { return Markdown(w, study.New(record.Set{Results: results})) },
		"benchmarks": func(w io.Writer) error {
			return Benchmarks(w, study.New(record.Set{Results: []*record.Result{r}}))
		},
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		for _, figure := range []string{"1.969", "0.091", "0.801", "7.31", "70,655", "21.3"} {
			assert.NotContains(t, out.String(), figure, "%s of a run with a failed check", name)
		}
	}
}

// TestWriteErrors: errors of the writer are returned.
func TestWriteErrors(t *testing.T) {
	results := []*record.Result{result(t, "")}
	for name, write := range map[string]func(io.Writer) error{
		"inspect":     func(w io.Writer) error { return Inspect(w, &record.Inspection{}) },
		"measurement": func(w io.Writer) error { return Measurement(w, results[0]) },
		"sweep":       func(w io.Writer) error { return Sweep(w, results) },
		"curve":       func(w io.Writer) error { return Curve(w, results) },
		"markdown":    func(w io.Writer) error { return Markdown(w, study.New(record.Set{Results: results})) },
		"benchmarks":  func(w io.Writer) error { return Benchmarks(w, study.New(record.Set{Results: results})) },
	} {
		_, closed := io.Pipe()
		closed.Close()
		assert.ErrorIs(t, write(closed), io.ErrClosedPipe, name)
	}
}
