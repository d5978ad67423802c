package advice

import (
	"math"

	"getio/record"
)

// interpolate returns a cache between two others, at a share of the way, with linearly
// interpolated figures.
func interpolate(from, to *record.AdvisedCache, share float64) *record.AdvisedCache {
	on := func(a, b float64) float64 { return a + share*(b-a) }
	c := *to
	c.Reasons = nil
	c.Cache.Bytes = int64(math.Ceil(on(float64(from.Cache.Bytes), float64(to.Cache.Bytes))))
	c.IOsPerGet.Predicted = on(from.IOsPerGet.Predicted, to.IOsPerGet.Predicted)
	if from.GetsToSteady == nil || to.GetsToSteady != nil && *from.GetsToSteady > *to.GetsToSteady {
		c.GetsToSteady = from.GetsToSteady
	}
	if from.BytesPerGet != nil && to.BytesPerGet != nil {
		bytes := on(*from.BytesPerGet, *to.BytesPerGet)
		c.BytesPerGet = &bytes
	}
	c.Components = map[string]record.PredictedComponent{}
	for name, b := range to.Components {
		a := from.Components[name]
		c.Components[name] = record.NewPredictedComponent(on(a.Accesses, b.Accesses), on(a.Misses, b.Misses))
	}
	return &c
}
