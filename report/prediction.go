package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// Predictions writes the predictions for one tree at several cache sizes, one row per size.
func Predictions(w io.Writer, predictions []*record.Prediction) error {
	p := newPrinter(w)
	if len(predictions) == 0 {
		p.prose("There are no predictions.")
		return p.flush()
	}
	sorted := slices.Clone(predictions)
	slices.SortStableFunc(sorted, func(a, b *record.Prediction) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	predictionTable(p, sorted)
	p.blank()
	predictionNotes(p, sorted)
	return p.flush()
}

// predicted is a column of a figure of predictions; it is left out if no prediction has it.
func predicted(name string, of func(*record.Prediction) *float64, write func(float64) string) column[*record.Prediction] {
	return col(name, func(r *record.Prediction) string { return figure(of(r), write) }).ifKnown()
}

func predictionTable(p *printer, sorted []*record.Prediction) {
	p.table(newTable(sorted,
		col("cache", func(r *record.Prediction) string { return units.Size(r.Cache.Bytes) }),
		col("phase", func(r *record.Prediction) string { return fmt.Sprint(r.Cache.Phase) }),
		predicted("I/Os\n/Get", func(r *record.Prediction) *float64 { return r.IOsPerGet.Window }, decimals),
		predicted("±95%", halfOfInterval, decimals),
		predicted("±", func(r *record.Prediction) *float64 { return r.IOsPerGet.Error }, decimals),
		predicted("mea-\nsured", func(r *record.Prediction) *float64 { return r.IOsPerGet.Measured }, decimals),
		predicted("steady\nI/Os", func(r *record.Prediction) *float64 { return r.IOsPerGet.Steady }, decimals),
		predicted("bytes\n/Get", func(r *record.Prediction) *float64 { return r.BytesPerGet }, whole).spareAs(1),
		predicted("filter\nhit", hitRateOf(record.Filter), decimals).spareAs(2),
		predicted("top\nindex\nhit", hitRateOf(record.TopIndex), decimals),
		predicted("index\nhit", hitRateOf(record.Index), decimals),
		predicted("data\nhit", hitRateOf(record.Data), decimals).spareAs(3),
		predicted("blob\nreads\n/Get", blobReads, decimals),
		predicted("first\ntouch", cause(func(c *record.Causes) *float64 { return &c.Compulsory }), decimals),
		predicted("capa-\ncity", cause(func(c *record.Causes) *float64 { return &c.Capacity }), decimals),
		predicted("policy", cause(func(c *record.Causes) *float64 { return &c.Policy }), decimals)))
}

func halfOfInterval(r *record.Prediction) *float64 {
	ci := r.IOsPerGet.CI95
	if ci == nil {
		return nil
	}
	return new((ci[1] - ci[0]) / 2)
}

func hitRateOf(c string) func(*record.Prediction) *float64 {
	return func(r *record.Prediction) *float64 { return r.Components[c].HitRate }
}

// blobReads returns the reads of blob files per Get.
func blobReads(r *record.Prediction) *float64 {
	c, known := r.Components[record.Blob]
	if !known {
		return nil
	}
	return &c.Misses
}

func cause(of func(*record.Causes) *float64) func(*record.Prediction) *float64 {
	return func(r *record.Prediction) *float64 {
		if r.ReadsByCause == nil {
			return nil
		}
		return of(r.ReadsByCause)
	}
}

// course is the windows after the first Gets, twice as many, and so on.
func course(windows []record.PredictedWindow) string {
	var steps []string
	made, next := int64(0), int64(0)
	for i, w := range windows {
		made += w.Gets
		if made >= next || i == len(windows)-1 {
			steps = append(steps, fmt.Sprintf("%.3f to %s", w.IOsPerGet, units.Count(made)))
			next = 2 * made
		}
	}
	return strings.Join(steps, ", ")
}

// unsteady reports whether a simulated run is not steady. One made with --until-steady shows its windows instead.
func unsteady(r *record.Prediction) bool {
	return r.Method == record.MethodTwin && r.IOsPerGet.Steady == nil && len(r.IOsPerGet.Windows) == 0
}

// popularKeys says which keys are asked for more often than others.
func popularKeys(p record.Popularity) string {
	if p.Zipf > 0 {
		return fmt.Sprintf("of keys by a Zipf distribution of exponent %g", p.Zipf)
	}
	return "of keys of which " + strings.Replace(p.String(), " of the keys", "", 1)
}

func predictionNotes(p *printer, sorted []*record.Prediction) {
	r := sorted[0]
	p.text("predicted", r)
	p.each("Warning", r.Warnings)
	p.text("how predicted", r)
	if r.IOsPerGet.Window == nil {
		return
	}
	t := predictionText{Prediction: r, Unsteady: slices.ContainsFunc(sorted, unsteady)}
	var courses []string // how runs became steady
	for _, r := range sorted {
		if t.WithError == nil && r.IOsPerGet.Error != nil {
			t.WithError = r
		}
		t.WithInterval = t.WithInterval || r.IOsPerGet.CI95 != nil
		if windows := r.IOsPerGet.Windows; len(windows) > 0 {
			courses = append(courses, units.Size(r.Cache.Bytes)+": "+course(windows))
		}
	}
	p.text("simulated", t)
	for i, c := range courses {
		p.field(ifAny(i == 0, "Course"), c)
	}
	if len(courses) > 0 {
		p.field("", "I/Os per Get in the window that ends at this number of Gets, from an empty cache.")
	}
	p.text("steady or not", t)
}

// predictionText is the data of the texts: the first prediction, and what is known of any.
type predictionText struct {
	*record.Prediction
	WithError              *record.Prediction // the first with an error
	WithInterval, Unsteady bool
}
