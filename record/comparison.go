package record

import "time"

// ComparisonSchema marks a Comparison.
const ComparisonSchema = "getio.compare/1"

// Comparison is one figure of two configurations that were measured in alternating
// runs of the same Gets.
type Comparison struct {
	Schema string    `json:"schema"`
	Time   time.Time `json:"time"`   // end of the last run
	Metric string    `json:"metric"` // one of the names below, or a component
	Cache  Cache     `json:"cache"`  // as in the base's runs
	// Workload is that of each run, but for its seed, which is the first round's.
	Workload Workload `json:"workload"`
	Rounds   int      `json:"rounds"`
	Base     Compared `json:"base"`
	Side     Compared `json:"side"`
	// Difference is the side's figure less the base's, Ratio the side's by the base's,
	// both over the rounds. Absent if the runs cannot be believed; there is no ratio if
	// one of the figures is 0.
	Difference *Estimate `json:"difference,omitempty"`
	Ratio      *Estimate `json:"ratio,omitempty"`
	Verdict    string    `json:"verdict"`
}

// Compared is one of the two configurations, and what its runs came to.
type Compared struct {
	Label    string    `json:"label"`
	Engine   Engine    `json:"engine"`
	Dataset  Dataset   `json:"dataset"`
	Lookup   string    `json:"lookup,omitempty"`   // as in a Workload
	Estimate *Estimate `json:"estimate,omitempty"` // over the rounds
	ByRound  []float64 `json:"by_round,omitempty"`
	// Drift is that of IOsPerGet, over the rounds. Absent if one had too few Gets to tell.
	Drift *Estimate `json:"drift,omitempty"`
}

// Estimate is a mean and its 95% confidence interval.
type Estimate struct {
	Mean float64    `json:"mean"`
	CI95 [2]float64 `json:"ci95"`
}

// HalfWidth is half of the interval.
func (e Estimate) HalfWidth() float64 { return (e.CI95[1] - e.CI95[0]) / 2 }

// Excludes tells whether the interval does not hold the value.
func (e Estimate) Excludes(v float64) bool { return v < e.CI95[0] || v > e.CI95[1] }

// Metrics beside the components' reads per Get.
const (
	MetricIOs   = "ios_per_get"
	MetricBytes = "bytes_per_get"
	MetricCPU   = "cpu_us_per_get"
)

// Verdicts on a figure.
const (
	VerdictLess = "less" // the side's is less than the base's
	VerdictMore = "more"
	// VerdictNone: no difference that the rounds can tell.
	VerdictNone = "none"
	// VerdictUnsteady: a side still moved, so that its runs are not what it comes to.
	VerdictUnsteady = "not_steady"
	// VerdictUntold: the runs are too short to tell whether they are steady.
	VerdictUntold = "not_known_to_be_steady"
	// VerdictUnbelievable: a self-check of one of the runs failed.
	VerdictUnbelievable = "unbelievable"
)
