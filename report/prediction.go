package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

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

// courses writes how runs became steady: the windows after the first Gets, twice as many,
// and so on.
func courses(p *printer, sorted []*record.Prediction) {
	label := "Course"
	for _, r := range sorted {
		if len(r.IOsPerGet.Windows) == 0 {
			continue
		}
		p.field(label, units.Size(r.Cache.Bytes)+": "+course(r.IOsPerGet.Windows))
		label = ""
	}
	if label == "" {
		p.field("", "I/Os per Get in the window that ends at this number of Gets, from an empty cache.")
	}
}

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
	visits := ""
	// Where indexes are not in the cache, Gets do not access them there.
	if n := r.Components[record.TopIndex].Accesses; n > 0 && r.Workload.Sample == 0 {
		visits = fmt.Sprintf(", a Get visits %.2f tables", n)
	}
	p.field("Predicted", fmt.Sprintf("for %s, read by %s: IP1 is %s, IP2 %s (filters of L6 apart)%s.",
		r.Source, r.Library, units.Size(r.Shape.IP1Bytes), units.Size(r.Shape.IP2Bytes), visits))
	for _, warning := range r.Warnings {
		p.field("Warning", warning)
	}
	switch again := r.Components[record.TableOpen].Misses; {
	case r.OpenTables > 0:
		p.field("Open files", fmt.Sprintf("at most %s of the %s tables can be open at a time (max_open_files). Gets also make reads that open tables again, which are not predicted; 'getio curve' on the database counts them.",
			humanize.Comma(r.OpenTables), humanize.Comma(r.Shape.Total().Tables)))
	case again > 0:
		p.field("Open files", fmt.Sprintf("%.3f of these I/Os per Get open tables again, because not all tables can stay open (max_open_files).", again))
	}
	keys := "of equally popular keys"
	if !r.Workload.Popularity.Uniform() {
		keys = popularKeys(r.Workload.Popularity)
	}
	if r.Workload.KeysFile != "" {
		keys = "of keys that " + units.OneLine(r.Workload.KeysFile) + " lists"
	}
	if r.Workload.HitFraction < 1 {
		keys += fmt.Sprintf(", %.3g%% of them absent", 100*(1-r.Workload.HitFraction))
	}
	if r.IOsPerGet.Window == nil {
		p.field("Steady", "computed, for Gets "+keys+": the reads with a cache of the blocks that are accessed most per byte. Pebble's cache comes close between IP1 and IP2 and never reads less.")
		return
	}
	if r.Workload.Trace != "" {
		p.field("Gets", tracedGets(r))
	} else {
		p.field("Gets", fmt.Sprintf("%s %s, after %s to warm up; seed %d; cache: %s.", units.Count(r.Workload.Gets), keys, units.Count(r.Workload.WarmupGets), r.Workload.Seed, r.Cache.Policy))
	}
	if i := slices.IndexFunc(sorted, func(r *record.Prediction) bool { return r.IOsPerGet.Error != nil }); i >= 0 {
		p.field("±", predictionError(sorted[i]))
	}
	if slices.ContainsFunc(sorted, func(r *record.Prediction) bool { return r.IOsPerGet.CI95 != nil }) {
		p.field("±95%", "is half of the 95% interval of what such Gets cost; the figure itself is of these Gets.")
	}
	courses(p, sorted)
	if slices.ContainsFunc(sorted, unsteady) {
		p.field("Steady", "rows without a steady figure are not steady yet: their caches may still be filling. --until-steady makes more Gets.")
	}
	if r.ReadsByCause != nil {
		p.field("Reads", "first touch: the first accesses of blocks; capacity: reads that remain even if the cache holds the best fixed set of blocks; policy: the rest.")
	}
}

// tracedGets describes the Gets of a trace.
func tracedGets(r *record.Prediction) string {
	text := fmt.Sprintf("%s of %s, after %s to warm up; %s of them found their key; cache: %s.", units.Count(r.Workload.Gets),
		units.OneLine(r.Workload.Trace), units.Count(r.Workload.WarmupGets), units.Percent(r.Workload.HitFraction), r.Cache.Policy)
	if n := r.Workload.Sample; n > 1 {
		text += fmt.Sprintf(" They are from one in %d ranges of neighbouring keys, and stand for all Gets.", n)
	}
	return text
}

// predictionError says what the errors of predictions are.
func predictionError(r *record.Prediction) string {
	switch {
	case r.Workload.Sample > 1:
		return "is the standard error of the sample."
	case r.Library == "goleveldb":
		return "is the standard deviation between runs of the same Gets. LevelDB recycles the buffers of large blocks, and Go's scheduler and garbage collector decide which buffers are free."
	}
	if n := r.Cache.SampledShards; n > 0 && n == r.Cache.Shards {
		if r.Library == "rocksdb" {
			return "is the standard deviation between random placements of blocks in the cache's shards; \"-\" below 1%."
		}
		return "is the standard deviation between random placements of index blocks in the cache's shards; \"-\" below 1%."
	}
	return "is the standard error of simulating only some of the cache's shards; \"-\" if all were simulated."
}
