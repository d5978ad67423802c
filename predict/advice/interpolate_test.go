package advice

import (
	"math"
	"testing"

	"getio/record"
)

func TestInterpolate(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	gets := func(n int64) *int64 { return &n }
	of := func(bytes int64, ios float64, steady *int64) *record.AdvisedCache {
		return &record.AdvisedCache{
			Reasons: []string{"x"}, Cache: record.PredictedCache{Bytes: bytes}, IOsPerGet: record.AdvisedIOs{Predicted: ios}, GetsToSteady: steady,
			BytesPerGet: number(1000 * ios), Components: map[string]record.PredictedComponent{"index": record.NewPredictedComponent(1, ios-1)},
		}
	}
	a, b := of(100, 2, gets(70)), of(200, 1.2, gets(50))
	c := interpolate(a, b, 0.25)
	if c.Cache.Bytes != 125 || math.Abs(c.IOsPerGet.Predicted-1.8) > 1e-9 || math.Abs(*c.BytesPerGet-1800) > 1e-9 || *c.GetsToSteady != 70 || c.Reasons != nil {
		t.Errorf("%+v", c)
	}
	if i := c.Components["index"]; math.Abs(i.Misses-0.8) > 1e-9 || math.Abs(*i.HitRate-0.2) > 1e-9 {
		t.Errorf("%+v", i)
	}
	if *b.BytesPerGet != 1200 || b.Cache.Bytes != 200 || len(b.Reasons) != 1 {
		t.Errorf("the larger one was changed: %+v", b)
	}
	b.GetsToSteady = gets(90)
	if c := interpolate(a, b, 0.5); *c.GetsToSteady != 90 {
		t.Errorf("steady after %d", *c.GetsToSteady)
	}
	a.GetsToSteady = nil
	if c := interpolate(a, b, 0.5); c.GetsToSteady != nil {
		t.Errorf("steady after %d", *c.GetsToSteady)
	}
}
