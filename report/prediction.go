package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
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
	memoryAnswers(p, sorted)
	predictionTable(p, sorted)
	p.blank()
	predictionNotes(p, sorted)
	return p.flush()
}

func predictionTable(p *printer, sorted []*record.Prediction) {
	type row = *record.Prediction
	// A figure that no prediction has is left out.
	known := func(name string, cell func(row) string) column[row] { return col(name, cell).ifKnown() }
	thousandths := func(name string, of func(row) *float64) column[row] {
		return known(name, func(r row) string { return units.Thousandths(of(r)) })
	}
	hit := func(name, component string) column[row] {
		return thousandths(name, func(r row) *float64 { return r.Components[component].HitRate })
	}
	cause := func(name string, of func(record.Causes) float64) column[row] {
		return known(name, func(r row) string {
			return figure(r.ReadsByCause, func(c record.Causes) string { return decimals(of(c)) })
		})
	}
	columns := []column[row]{
		col("cache", func(r row) string { return units.Size(r.Cache.Bytes) }),
		gethCache(func(r row) int64 { return r.Cache.GethCacheMiB }),
		col("phase", func(r row) string { return fmt.Sprint(r.Cache.Phase) }),
		thousandths("I/Os\n/Get", func(r row) *float64 { return r.IOsPerGet.Window }),
		known("±95%", func(r row) string {
			return figure(r.IOsPerGet.CI95, func(ci [2]float64) string { return decimals(half(ci)) })
		}),
		thousandths("±", func(r row) *float64 { return r.IOsPerGet.Error }),
		thousandths("mea-\nsured", func(r row) *float64 { return r.IOsPerGet.Measured }),
		thousandths("steady\nI/Os", func(r row) *float64 { return r.IOsPerGet.Steady }),
	}
	for _, bytes := range machines(sorted) {
		with := "\nwith\n" + units.Size(bytes)
		columns = append(columns,
			col("device\nreads\n/Get"+with, func(r row) string {
				return figure(memoryFor(r, bytes), func(m record.PredictedMemory) string { return decimals(m.DeviceReadsPerGet) })
			}),
			col("±95%"+with, func(r row) string {
				return figure(memoryFor(r, bytes), func(m record.PredictedMemory) string {
					return figure(m.CI95, func(ci [2]float64) string { return decimals(half(ci)) })
				})
			}).spareAs(1))
	}
	p.table(newTable(sorted, append(columns,
		known("device\nbytes\n/Get", func(r row) string { return figure(r.PageBytesPerGet, whole) }),
		known("bytes\n/Get", func(r row) string { return figure(r.BytesPerGet, whole) }).spareAs(1),
		hit("filter\nhit", record.Filter).spareAs(2),
		hit("top\nindex\nhit", record.TopIndex).spareAs(4),
		hit("index\nhit", record.Index),
		hit("data\nhit", record.Data).spareAs(3),
		known("blob\nreads\n/Get", func(r row) string {
			blob, known := r.Components[record.Blob]
			return figureIf(known, decimals(blob.Misses))
		}),
		cause("first\ntouch", func(c record.Causes) float64 { return c.Compulsory }),
		cause("capa-\ncity", func(c record.Causes) float64 { return c.Capacity }),
		cause("policy", func(c record.Causes) float64 { return c.Policy }))...))
}

// memoryAnswers recommends a block cache for each machine.
func memoryAnswers(p *printer, sorted []*record.Prediction) {
	for _, bytes := range machines(sorted) {
		p.text("memory answer", bestDivision(sorted, bytes))
	}
}

// division is a block cache on a machine.
type division struct {
	*record.Prediction
	Memory *record.PredictedMemory
	Others bool // there were other caches to choose from
}

// notableReads is the share of the device reads that justifies a larger block cache.
const notableReads = 0.01

// bestDivision returns the smallest block cache whose device reads are within notableReads of the fewest.
func bestDivision(sorted []*record.Prediction, bytes int64) division {
	var all []division
	least := math.Inf(1)
	for _, r := range sorted {
		if m := memoryFor(r, bytes); m != nil {
			all = append(all, division{Prediction: r, Memory: m})
			least = min(least, m.DeviceReadsPerGet)
		}
	}
	best := all[slices.IndexFunc(all, func(d division) bool { return d.Memory.DeviceReadsPerGet <= least*(1+notableReads) })]
	best.Others = len(all) > 1
	return best
}

// memoryFor returns the prediction for a machine with the given memory, or nil.
func memoryFor(r *record.Prediction, bytes int64) *record.PredictedMemory {
	i := slices.IndexFunc(r.Memory, func(m record.PredictedMemory) bool { return m.Bytes == bytes })
	if i < 0 {
		return nil
	}
	return &r.Memory[i]
}

// machines returns the sizes of memory with predicted device reads.
func machines(predictions []*record.Prediction) (sizes []int64) {
	for _, r := range predictions {
		for _, m := range r.Memory {
			sizes = append(sizes, m.Bytes)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
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
	t := predictionText{
		Prediction:   r,
		WithError:    firstOf(sorted, func(r *record.Prediction) bool { return r.IOsPerGet.Error != nil }),
		WithInterval: slices.ContainsFunc(sorted, func(r *record.Prediction) bool { return r.IOsPerGet.CI95 != nil }),
		Unsteady:     slices.ContainsFunc(sorted, unsteady),
	}
	if with := firstOf(sorted, func(r *record.Prediction) bool { return r.Memory != nil }); with != nil {
		t.Memory = &with.Memory[0]
	}
	p.text("simulated", t)
	label := "Course" // of how the first run became steady
	for _, r := range sorted {
		if windows := r.IOsPerGet.Windows; len(windows) > 0 {
			p.field(label, units.Size(r.Cache.Bytes)+": "+course(windows))
			label = ""
		}
	}
	if label == "" {
		p.field(label, "I/Os per Get in the window that ends at this number of Gets, from an empty cache.")
	}
	p.text("steady or not", t)
}

// predictionText is the data of the texts: the first prediction, and what is known of any.
type predictionText struct {
	*record.Prediction
	WithError              *record.Prediction // the first with an error
	WithInterval, Unsteady bool
	Memory                 *record.PredictedMemory // the first division of a machine's memory
}
