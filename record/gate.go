package record

import "time"

// Gate is the verdict on one setting: whether it reads more than a baseline that was measured earlier.
type Gate struct {
	Schema  string `json:"schema"`
	Setting string `json:"setting"` // what both runs have in common: engine, dataset, cache, keys, operation, workers, warm-up, updates, rate of Gets
	Verdict string `json:"verdict"` // "rise": a figure rose by more than is allowed; "none"; "cannot_tell"; "unbelievable": a self-check failed
	// Reason is why no verdict was possible, and what to do.
	Reason string `json:"reason,omitempty"`
	// MaxRise is the rise that is allowed, as a fraction of the baseline's figure.
	MaxRise float64 `json:"max_rise"`
	// Confidence is that of each rise, as a fraction: all rises of one call are true together with 95%.
	Confidence float64 `json:"confidence,omitempty"`
	// Base is absent where the setting was not measured.
	Base *GateSide `json:"base,omitempty"`
	// New is absent where the setting was not measured.
	New *GateSide `json:"new,omitempty"`
	// Changed is what else differs: version, preset and options of the engine, version of getio.
	Changed []GateChange `json:"changed,omitempty"`
	// Figures are of the I/Os, the bytes, and each component that either run read.
	Figures []GateFigure `json:"figures,omitempty"`
	// Unjudged is why bytes and components have no figures, as in older records.
	Unjudged string `json:"unjudged,omitempty"`
}

// GateSide is the run of one side.
type GateSide struct {
	Time     time.Time `json:"time"` // end of the run, UTC
	Engine   Engine    `json:"engine"`
	Dataset  Dataset   `json:"dataset"`
	Cache    Cache     `json:"cache"`
	Workload Made      `json:"workload"`
}

// GateChange is a difference between the runs that is not part of the setting. A value is absent if that
// side has none.
type GateChange struct {
	Name string `json:"name"`           // of the difference
	Base string `json:"base,omitempty"` // value
	New  string `json:"new,omitempty"`  // value
}

// GateFigure is one figure of both runs, per Get.
type GateFigure struct {
	Metric string  `json:"metric"` // "ios_per_get", "bytes_per_get" or a component
	Base   float64 `json:"base"`   // per Get
	New    float64 `json:"new"`    // per Get
	// Rise is how much the new figure is larger, as a fraction of the base's.
	Rise float64    `json:"rise"`
	CI95 [2]float64 `json:"ci95"` // 95% interval of the rise
	// AtLeast is the lower end of the rise's interval with [Gate.Confidence].
	AtLeast float64 `json:"at_least"`
	// Limit is the largest rise that is allowed.
	Limit float64 `json:"limit"`
	// PerGet means that rise, interval and limit are per Get: the base is too small for a fraction of it, or either
	// standard error is more than a quarter of it.
	PerGet bool `json:"per_get,omitempty"`
	// Verdict is "rise": at least more than the limit; "fall": by more than a rise may be; "none": the 95% interval
	// does not reach beyond the limit; "cannot_tell".
	Verdict string `json:"verdict"`
	// GetsNeeded is about how many Gets each run needs for a verdict; absent if no number suffices.
	GetsNeeded int64 `json:"gets_needed,omitempty"`
}

// Verdicts of a gate.
const (
	GateRise = "rise" // by more than is allowed
	GateFall = "fall" // of a figure, by more than a rise may be
	// GateNone: no rise by more than is allowed. Of a figure, its 95% interval reaches no further.
	GateNone       = "none"
	GateCannotTell = "cannot_tell"
)
