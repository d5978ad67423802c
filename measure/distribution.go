package measure

import (
	"fmt"

	"getio/engine"
	"getio/record"
	"getio/tree/readpath"
)

// mostUnattributed is the share of all reads that may belong to no Get.
const mostUnattributed = 0.001

// histogram has at n how many Gets made n reads.
type histogram []int64

// add adds Gets that made so many reads each.
func (h *histogram) add(reads int, gets int64) {
	for reads >= len(*h) {
		*h = append(*h, 0)
	}
	(*h)[reads] += gets
}

// distribution is how many of the phase's Gets made how many reads; nil if nobody asked.
func (r *run) distribution() *record.Distribution {
	if !r.opts.Distribution {
		return nil
	}
	var all histogram
	for _, w := range r.workers {
		for reads, gets := range w.histogram {
			all.add(reads, gets)
		}
	}
	strays, _ := r.attribution.strays()
	return record.NewDistribution(all, strays.Sub(r.notes.strays).Sum())
}

// checkDistribution holds the reads that were attributed to single Gets against all that
// reached the files.
func checkDistribution(d *record.Distribution, gets int64, run engine.Counts) readpath.Check {
	reads := run.Reads.Count.Sum()
	return readpath.Check{
		Name: "distribution",
		OK: d.Gets() == gets && d.Reads()+d.UnattributedReads == reads &&
			float64(d.UnattributedReads) <= mostUnattributed*float64(reads),
		Detail: fmt.Sprintf("%d Gets of %d with %d reads, %d unattributed, of %d reads of files",
			d.Gets(), gets, d.Reads(), d.UnattributedReads, reads),
	}
}
