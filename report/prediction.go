package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"getio/readpath"
	"getio/record"
)

// Predictions writes what is predicted for one tree at several cache sizes, one
// row per size.
func Predictions(w io.Writer, predictions []*record.Prediction) error {
	var p page
	if len(predictions) == 0 {
		p.prose("There are no predictions.")
		return p.writeTo(w)
	}
	sorted := slices.Clone(predictions)
	slices.SortStableFunc(sorted, func(a, b *record.Prediction) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	predictionTable(&p, sorted)
	p.blank()
	predictionNotes(&p, sorted)
	return p.writeTo(w)
}

func predictionTable(p *page, sorted []*record.Prediction) {
	simulated := sorted[0].ReadsByCause != nil
	g := grid{header: []string{"cache", "phase"}}
	if simulated {
		g.header = append(g.header, "I/Os\n/Get", "±")
	}
	g.header = append(g.header, "steady\nI/Os", "filter\nhit", "top\nindex\nhit", "index\nhit", "data\nhit")
	if simulated {
		g.header = append(g.header, "first\ntouch", "capa-\ncity", "policy")
	}
	for _, r := range sorted {
		cells := []string{size(r.Cache.Bytes), fmt.Sprint(r.Cache.Phase)}
		if simulated {
			cells = append(cells, optional(r.IOsPerGet.Window), optional(r.IOsPerGet.Error))
		}
		cells = append(cells, optional(r.IOsPerGet.Steady))
		for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
			cells = append(cells, optional(r.Components[c.String()].HitRate))
		}
		if simulated {
			causes := r.ReadsByCause
			cells = append(cells, optional(&causes.Compulsory), optional(&causes.Capacity), optional(&causes.Policy))
		}
		g.add(cells...)
	}
	p.grid(&g)
}

// optional writes three decimals, or the mark of what is not there.
func optional(v *float64) string {
	if v == nil {
		return absent
	}
	if s := fmt.Sprintf("%.3f", *v); s != "-0.000" {
		return s
	}
	return "0.000"
}

func predictionNotes(p *page, sorted []*record.Prediction) {
	r := sorted[0]
	p.field("Predicted", fmt.Sprintf("for %s, read by %s: IP1 is %s, IP2 %s (filters of L6 apart), a Get visits %.2f tables.",
		r.Of, r.Library, size(r.Shape.IP1Bytes), size(r.Shape.IP2Bytes), r.Components[readpath.TopIndex.String()].Accesses))
	keys := "of equally popular keys"
	if r.Workload.Zipf > 0 {
		keys = fmt.Sprintf("of keys by a Zipf distribution of exponent %g", r.Workload.Zipf)
	}
	if r.Workload.HitFraction < 1 {
		keys += fmt.Sprintf(", %.3g%% of them absent", 100*(1-r.Workload.HitFraction))
	}
	if r.ReadsByCause == nil {
		p.field("Steady", "worked out, for Gets "+keys+": what a cache reads that holds the blocks asked for most per byte. Pebble's comes close between IP1 and IP2 and never reads less.")
		return
	}
	p.field("Gets", fmt.Sprintf("%s %s, after %s to warm up; seed %d; cache: %s.", count(r.Workload.Gets), keys, count(r.Workload.WarmupGets), r.Workload.Seed, r.Cache.Policy))
	p.field("±", "is the standard error of simulating a sample of the cache's shards; \"-\" where all were simulated.")
	p.field("Reads", "first touch: of blocks that no Get had asked for before; capacity: that the best fixed choice of blocks would make too; policy: the rest.")
}
