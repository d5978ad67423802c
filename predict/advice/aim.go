package advice

import (
	"math"
	"sort"

	"getio/engine/readpath"
	"getio/predict/twin"
	"getio/record"
)

// aim is reached by a cache if its figure is at most the limit.
type aim struct {
	purpose string
	limit   float64
	figure  func(misses readpath.Means) float64
}

// aims returns the aims that do not depend on the possible saving.
func (q *Question) aims() []aim {
	all := []aim{
		{record.ReasonFilters, record.PlateauReads, func(m readpath.Means) float64 { return m[readpath.Filter] + m[readpath.TopIndex] }},
		{record.ReasonIndexes, record.PlateauReads, func(m readpath.Means) float64 {
			return m[readpath.Filter] + m[readpath.TopIndex] + m[readpath.Index]
		}},
	}
	if q.Target > 0 {
		all = append(all, aim{record.ReasonTarget, q.Target, readpath.Means.Sum})
	}
	return all
}

// worthShare is the part of the possible saving that the advised cache reaches.
const worthShare = 0.9

// worth returns the aim of worthShare of the possible saving: now are the reads per Get with the present or the smallest
// cache, least those with the largest.
func worth(now, least float64) aim {
	return aim{record.ReasonWorth, now - worthShare*max(now-least, 0), readpath.Means.Sum}
}

// worthOf returns that aim for simulated caches.
func (q *Question) worthOf(caches []*record.AdvisedCache) aim {
	now, least := 0.0, math.Inf(1)
	for _, c := range caches {
		ios := c.IOsPerGet.Predicted
		if c.Cache.Bytes <= q.most() {
			least = min(least, ios)
		}
		if c.Cache.Bytes == q.Present || q.Present == 0 && c.Cache.Bytes >= q.least() {
			now = max(now, ios)
		}
	}
	return worth(now, least)
}

// least returns the bytes that the best possible cache needs to reach the aim.
func (a aim) least(best *twin.Steady, most int64) int64 {
	const fine = 1 << 12 // bytes
	n := sort.Search(int(most/fine), func(i int) bool { return a.figure(best.Misses(int64(i)*fine)) <= a.limit })
	return int64(max(n, 1)) * fine
}

// steps are multiples of that size at which caches are simulated: CLOCK-Pro needs a little more
// between IP1 and IP2, and up to half more elsewhere.
var steps = []float64{1, 1.06, 1.15, 1.3, 1.7}

// lruSteps are further ones for the caches of other libraries: an LRU holds what was accessed last,
// not what is accessed most.
var lruSteps = []float64{2.5, 4, 6}

// cheapest returns the smallest cache that reaches the aim, nil if none does. caches are sorted
// by size; if between, figures are interpolated between the last that misses the aim and the first
// that reaches it.
func (a aim) cheapest(caches []*record.AdvisedCache, between bool) *record.AdvisedCache {
	for i, c := range caches {
		to := a.of(c)
		if to > a.limit {
			continue
		}
		if i == 0 || to == a.limit || !between {
			return c
		}
		from := a.of(caches[i-1])
		return interpolate(caches[i-1], c, (from-a.limit)/(from-to))
	}
	return nil
}

// of returns the aim's figure with a cache.
func (a aim) of(c *record.AdvisedCache) float64 {
	var misses readpath.Means
	for _, component := range readpath.Components() {
		misses[component] = c.Components[component.String()].Misses
	}
	return a.figure(misses)
}

// interpolate returns a cache between two others, at a share of the way, with linearly
// interpolated figures.
func interpolate(from, to *record.AdvisedCache, share float64) *record.AdvisedCache {
	on := func(a, b float64) float64 { return a + share*(b-a) }
	known := func(a, b *float64) *float64 {
		if a == nil || b == nil {
			return nil
		}
		return new(on(*a, *b))
	}
	c := *to
	c.Reasons = nil
	c.Cache.Bytes = int64(math.Ceil(on(float64(from.Cache.Bytes), float64(to.Cache.Bytes))))
	c.IOsPerGet.Predicted = on(from.IOsPerGet.Predicted, to.IOsPerGet.Predicted)
	if from.GetsToSteady == nil || to.GetsToSteady != nil && *from.GetsToSteady > *to.GetsToSteady {
		c.GetsToSteady = from.GetsToSteady
	}
	c.BytesPerGet, c.PageBytesPerGet = known(from.BytesPerGet, to.BytesPerGet), known(from.PageBytesPerGet, to.PageBytesPerGet)
	c.Components = map[string]record.PredictedComponent{}
	for name, b := range to.Components {
		a := from.Components[name]
		between := record.NewPredictedComponent(on(a.Accesses, b.Accesses), on(a.Misses, b.Misses))
		if b.HitRate == nil {
			between.HitRate = nil
		}
		c.Components[name] = between
	}
	return &c
}
