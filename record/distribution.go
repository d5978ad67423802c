package record

// Distribution is the distribution of reads per Get.
type Distribution struct {
	// Histogram is the number of measured Gets by their reads, from 0 reads on.
	Histogram []int64 `json:"histogram"`
	// Percentiles of the reads per Get, by nearest rank, and the most reads of one Get.
	P50  int `json:"p50"`
	P90  int `json:"p90"`
	P99  int `json:"p99"`
	P999 int `json:"p999"`
	Max  int `json:"max"`
	// UnattributedReads are reads that belong to no Get. The check "distribution" compares all reads with these and the histogram's.
	UnattributedReads int64 `json:"unattributed_reads"`
}

// NewDistribution returns the distribution of a histogram whose last figure is not 0.
func NewDistribution(histogram []int64, unattributed int64) *Distribution {
	d := &Distribution{Histogram: histogram, Max: len(histogram) - 1, UnattributedReads: unattributed}
	d.P50, d.P90, d.P99, d.P999 = d.atRank(500), d.atRank(900), d.atRank(990), d.atRank(999)
	return d
}

// atRank returns the number of reads that of1000 of 1,000 Gets did not exceed.
func (d *Distribution) atRank(of1000 int64) int {
	gets := d.Gets()
	rank := gets/1000*of1000 + (gets%1000*of1000+999)/1000
	for reads, n := range d.Histogram {
		if rank -= n; rank <= 0 {
			return reads
		}
	}
	return d.Max
}

// Gets returns the number of Gets.
func (d *Distribution) Gets() (gets int64) {
	for _, n := range d.Histogram {
		gets += n
	}
	return gets
}

// Reads returns the number of reads.
func (d *Distribution) Reads() (reads int64) {
	for each, n := range d.Histogram {
		reads += int64(each) * n
	}
	return reads
}

// AtLeast returns the share of the Gets that made that many reads or more; 0 without Gets.
func (d *Distribution) AtLeast(reads int) float64 {
	var below int64
	for _, n := range d.Histogram[:min(max(reads, 0), len(d.Histogram))] {
		below += n
	}
	gets := d.Gets()
	if gets == 0 {
		return 0
	}
	return float64(gets-below) / float64(gets)
}
