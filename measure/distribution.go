package measure

import (
	"fmt"

	"getio/engine"
	"getio/record"
	"getio/tree/readpath"
)

// mostUnattributed is the share of all reads that may be attributed to no Get.
const mostUnattributed = 0.001

// histogram holds, at n, how many Gets made n reads.
type histogram []int64

// add adds Gets that made the given number of reads each.
func (h *histogram) add(reads int, gets int64) {
	for reads >= len(*h) {
		*h = append(*h, 0)
	}
	(*h)[reads] += gets
}

// distribution returns the distribution of reads per Get in the phase, nil if it is not
// recorded.
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
	now, _ := r.attribution.unattributed()
	return record.NewDistribution(all, now.Sub(r.recorder.unattributed).Sum())
}

// checkDistribution compares the reads attributed to single Gets with all reads of files.
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
