package record

import "time"

// Gate is the verdict on one setting: whether it reads more than a baseline that was measured earlier.
type Gate struct {
	Schema  string `json:"schema"`
	Setting string `json:"setting"` // what both runs have in common, for people
	Verdict string `json:"verdict"` // GateRise, GateNone, GateCannotTell or VerdictUnbelievable
	// Reason is why the gate cannot tell or a self-check failed, and what to do; absent otherwise.
	Reason string `json:"reason,omitempty"`
	// MaxRise is the rise that is allowed, as a fraction of the baseline's figure.
	MaxRise float64 `json:"max_rise"`
	// Confidence is that of each rise, as a fraction: so high that all rises of one gate are true together
	// with 95% confidence. Absent without figures.
	Confidence float64 `json:"confidence,omitempty"`
	// Base and New are absent where the setting was not measured.
	Base    *GateSide    `json:"base,omitempty"`
	New     *GateSide    `json:"new,omitempty"`
	Changed []GateChange `json:"changed,omitempty"`
	Figures []GateFigure `json:"figures,omitempty"`
	// Unjudged is why bytes and components have no figures; absent if they have.
	Unjudged string `json:"unjudged,omitempty"`
}

// GateSide is the run of one side.
type GateSide struct {
	Time     time.Time `json:"time"`
	Engine   Engine    `json:"engine"`
	Dataset  Dataset   `json:"dataset"`
	Cache    Cache     `json:"cache"`
	Workload Made      `json:"workload"`
}

// GateChange is a difference between the runs that is not part of the setting. A value is absent if that
// side has none.
type GateChange struct {
	Name string `json:"name"`
	Base string `json:"base,omitempty"`
	New  string `json:"new,omitempty"`
}

// GateFigure is one figure of both runs, per Get.
type GateFigure struct {
	Metric string  `json:"metric"` // MetricIOs, MetricBytes or a component
	Base   float64 `json:"base"`
	New    float64 `json:"new"`
	// Rise is by how much New is larger: as a fraction of Base, or per Get if PerGet is set, because Base is
	// too small for a share of it, or the standard error of Base or New is more than a quarter of it. Limit is
	// the largest that is allowed, and AtLeast the lower end of the interval with the confidence of the Gate.
	Rise    float64    `json:"rise"`
	CI95    [2]float64 `json:"ci95"`
	AtLeast float64    `json:"at_least"`
	Limit   float64    `json:"limit"`
	PerGet  bool       `json:"per_get,omitempty"`
	Verdict string     `json:"verdict"`
	// GetsNeeded is about how many Gets each run needs for a verdict. It is absent with a verdict, and if
	// no number of Gets suffices.
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
