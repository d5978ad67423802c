// Package study groups records: which of them form one curve over cache sizes, with its predictions, published figures
// and recommended cache; which compare the same configurations; and which measure the same client or state databases.
package study

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"getio/record"
)

// Study is a set of records in groups.
type Study struct {
	Curves      []*Curve
	Comparisons []*Comparison
	// Chains are the cost of a client's operations on one chaindata directory: a run for each operation and cache.
	Chains []*Group[record.Chain]
	// Level0s are the cost of operations by number of L0 tables on one chain, with several caches, with and without
	// filters.
	Level0s []*Group[record.Level0]
	// Stores are state databases with the same keys and values and the same lookups. Those measured elsewhere are
	// among all whose keys and values they stand for.
	Stores []*Group[record.State]
	// Unfinished are runs of comparisons without a verdict.
	Unfinished []*record.Result
}

// Curve is the cost of the same Gets in one database with one configuration, by cache size.
type Curve struct {
	Name   string           // short, and no other curve's
	Runs   []*record.Result // measurements with figures that count, by cache size
	Failed []*record.Result // measurements whose self-checks failed: no figure of theirs counts
	// Superseded are measurements with the cache of another one in Runs, which is steady,
	// or has more Gets, or figures of single Gets, or is later, in this order.
	Superseded []*record.Result
	// Predictions are of the same database and Gets, by cache size.
	Predictions []*record.Prediction
	// Recommendation goes by the measurements alone.
	Recommendation Recommendation
}

// New groups records into curves, in the order of their first records. A prediction joins
// the measurements of a tree of the same shape, or makes a curve without any.
func New(r record.Set) *Study {
	s := &Study{}
	bySettings := map[string][]*Curve{}
	for _, result := range r.Results {
		settings := settingsOf(result)
		curves := bySettings[settings]
		i := slices.IndexFunc(curves, func(c *Curve) bool { return c.takes(result) })
		if i < 0 {
			i = len(curves)
			bySettings[settings] = append(curves, s.addCurve())
		}
		bySettings[settings][i].addMeasurement(result)
	}
	for _, p := range r.Predictions {
		c := s.curveOf(p)
		if c == nil {
			c = s.addCurve()
		}
		c.Predictions = append(c.Predictions, p)
	}
	for _, c := range s.Curves {
		c.Runs, c.Superseded = oneOfEachSize(c.Runs)
		c.Recommendation = Recommend(slices.Concat(c.Runs, c.Failed))
		slices.SortStableFunc(c.Predictions, func(a, b *record.Prediction) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	}
	nameAll(s.Curves, (*Curve).traits, func(c *Curve) *string { return &c.Name })
	s.addComparisons(r.Comparisons)
	s.Unfinished = unfinished(r.Results, r.Comparisons)
	s.addClient(r.Chains, r.Level0s)
	s.addStates(r.States)
	return s
}

// oneOfEachSize divides measurements into the most informative one of each cache size, and the others; both by size.
func oneOfEachSize(all []*record.Result) (one, others []*record.Result) {
	for _, same := range GroupBy(all, func(r *record.Result) any { return r.Cache.Bytes }) {
		slices.SortStableFunc(same, func(a, b *record.Result) int {
			return cmp.Or(trueFirst(a.EndsSteady(), b.EndsSteady()), cmp.Compare(b.Workload.Gets, a.Workload.Gets),
				cmp.Compare(singleGetFigures(b), singleGetFigures(a)), b.Time.Compare(a.Time))
		})
		one, others = append(one, same[0]), append(others, same[1:]...)
	}
	return BySize(one), BySize(others)
}

func singleGetFigures(r *record.Result) (n int) {
	if r.Distribution != nil {
		n++
	}
	if r.Latency != nil {
		n++
	}
	return n
}

func (s *Study) addCurve() *Curve {
	c := &Curve{}
	s.Curves = append(s.Curves, c)
	return c
}

func (c *Curve) addMeasurement(r *record.Result) {
	if r.Checks.Hold() {
		c.Runs = append(c.Runs, r)
	} else {
		c.Failed = append(c.Failed, r)
	}
}

// takes reports whether a measurement with the settings of the curve can be a point of it: all measurements with one
// cache have the same number of shards. The default number depends on the size of the cache.
func (c *Curve) takes(r *record.Result) bool {
	return !slices.ContainsFunc(c.Measurements(), func(other *record.Result) bool {
		return other.Cache.Bytes == r.Cache.Bytes && other.Cache.Shards != r.Cache.Shards
	})
}

// settingsOf returns the settings of a measurement, as text: everything but the cache, the seed and the number of Gets.
func settingsOf(r *record.Result) string {
	w := r.Workload
	w.Seed, w.WarmupGets, w.WarmupChosenGets, w.Gets, w.GetsRule = 0, 0, 0, 0, ""
	w.Updates = r.UpdatesBefore()
	if w.TraceSHA256 != "" {
		w.HitFraction = 0 // counted: it goes by how many of its Gets were made
	}
	device := record.Device{PageCache: r.Device.PageCache}
	if m := r.Device.Modelled; m != nil {
		device.Modelled = &record.ModelledDevice{IOPS: m.IOPS, ReadLatencyUS: m.ReadLatencyUS}
	}
	settings, _ := json.Marshal([]any{r.Dataset, r.Engine, w, device, r.Updates.Wanted(), r.TargetRate()}) // strings and numbers only
	return string(settings)
}

// curveOf returns the first curve that a prediction belongs to: a measured one, or one
// with the same prediction for another cache or by another method; nil if there is none.
func (s *Study) curveOf(p *record.Prediction) *Curve {
	for _, c := range s.Curves {
		if len(c.Predictions) > 0 && samePredicted(c.Predictions[0], p) || len(c.Measurements()) > 0 && predicts(p, c.Measurements()[0]) {
			return c
		}
	}
	return nil
}

// Measurements returns all measurements: Runs, Superseded and Failed, each by cache size.
func (c *Curve) Measurements() []*record.Result { return slices.Concat(c.Runs, c.Superseded, c.Failed) }

// predicts reports whether a prediction is of the measured tree and Gets. Predictions are of trees without updates.
func predicts(p *record.Prediction, r *record.Result) bool {
	return p.Library == r.Engine.Name && sameTree(p.Shape, r.Shape) && p.Workload.Kind == r.Workload.Kind && p.Workload.Popularity == r.Workload.Popularity &&
		p.Workload.HitFraction == r.Workload.HitFraction && p.Workload.KeysSHA256 == r.Workload.KeysSHA256 && r.Workload.Lookup == "" && r.Workload.Operation.Kind == "" && r.Updates == nil
}

func samePredicted(a, b *record.Prediction) bool {
	return a.Source == b.Source && a.Library == b.Library && sameTree(a.Shape, b.Shape) && a.Workload.Kind == b.Workload.Kind &&
		a.Workload.Popularity == b.Workload.Popularity && a.Workload.KeysSHA256 == b.Workload.KeysSHA256 && a.Workload.HitFraction == b.Workload.HitFraction
}

func sameTree(a, b *record.Shape) bool {
	return a != nil && b != nil && reflect.DeepEqual(a.Levels, b.Levels)
}

// Operation returns what the operations of all measurements are called: operations if they differ, and Gets without any.
func (s *Study) Operation() record.Operation {
	words := record.Made{}.Words()
	for i, c := range s.Curves {
		if i > 0 && c.Operation() != words {
			return record.Operation{One: "operation", Many: "operations"}
		}
		words = c.Operation()
	}
	return words
}

// Operation returns what the operations of the curve's measurements are called. Only Gets are predicted.
func (c *Curve) Operation() record.Operation {
	for _, r := range c.Measurements() {
		return r.Workload.Words()
	}
	return record.Made{}.Words()
}

// Shape returns the shape of the tree; nil if unknown.
func (c *Curve) Shape() *record.Shape {
	return cmp.Or(FirstKnown(c.Measurements(), func(r *record.Result) *record.Shape { return r.Shape }),
		FirstKnown(c.Predictions, func(p *record.Prediction) *record.Shape { return p.Shape }))
}

// FirstKnown returns what the first record has that has it; nil if none does.
func FirstKnown[R, T any](records []R, of func(R) *T) *T {
	for _, r := range records {
		if v := of(r); v != nil {
			return v
		}
	}
	return nil
}

// Keys returns the number of keys of the database; 0 if unknown.
func (c *Curve) Keys() int64 {
	if runs := c.Measurements(); len(runs) > 0 {
		of := runs[0].Dataset
		return cmp.Or(int64(of.Keys), of.Records)
	}
	if shape := c.Shape(); shape != nil {
		return shape.Total().Records
	}
	return 0
}

// Bytes returns the size of all table files; 0 if unknown.
func (c *Curve) Bytes() int64 {
	for _, r := range c.Measurements() {
		return r.Dataset.Bytes
	}
	if shape := c.Shape(); shape != nil {
		return shape.Total().Bytes
	}
	return 0
}

// BySize returns measurements sorted by cache size; those of one size keep their order.
func BySize(results []*record.Result) []*record.Result {
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b *record.Result) int { return cmp.Compare(a.Cache.Bytes, b.Cache.Bytes) })
	return sorted
}
