package chart

import (
	"slices"

	"getio/record"
	"getio/report/study"
)

// figureSource returns one figure from each source. A function returns false where the source lacks it.
type figureSource struct {
	measured  func(*record.Result) (Point, bool)
	published func(*record.Result) (float64, bool)
	predicted func(*record.Prediction) []prediction
}

type prediction struct {
	of string // part of the line's name
	y  float64
}

func iosPerGet(s *study.Study) Chart {
	return overCaches(s, Chart{
		Name: "ios", Title: "I/Os per " + s.Operation().One + " by cache size", Judged: true,
		Note: "Bands are 95% confidence intervals; hollow points are of runs that are not known to be steady. IP1: the cache holds all filters and top indexes that Gets consult; IP2: all index blocks too.",
		Y:    Axis{Label: "I/Os per " + s.Operation().One, Unit: IOsPerGet},
	}, figureSource{
		measured:  func(r *record.Result) (Point, bool) { return ios(&r.IOsPerGet), true },
		published: (*record.Result).PublishedIOs,
		predicted: func(p *record.Prediction) (all []prediction) {
			if y := p.IOsPerGet.Window; y != nil {
				all = append(all, prediction{"", *y})
			}
			if y := p.IOsPerGet.Steady; y != nil {
				all = append(all, prediction{", steady", *y})
			}
			return all
		},
	})
}

func indexHitRate(s *study.Study) Chart {
	return hitRates(s, Chart{
		Name: "index-hit", Title: "Hit rate of index blocks by cache size",
		Note: "Of second-level index blocks, where Pebble has them: the share of accesses that the block cache served. Where an engine counts index and data accesses as one sum, measured rates are estimated.",
	}, record.Index, func(r *record.Result) *float64 { return r.Components[record.Index].HitRate },
		func(p *record.Prediction) *float64 { return p.Components[record.Index].HitRate })
}

func cacheHitRate(s *study.Study) Chart {
	return hitRates(s, Chart{
		Name: "cache-hit", Title: "Hit rate of the whole block cache by cache size",
		Note: "Filters and top indexes are accessed most: a high rate does not mean few reads.",
	}, "block_cache", func(r *record.Result) *float64 {
		if r.Cached == nil {
			return nil
		}
		return r.Cached.HitRate
	}, predictedRate)
}

// hitRates charts a hit rate over cache sizes; published is its name in the study's figures.
func hitRates(s *study.Study, c Chart, published string, measured func(*record.Result) *float64, predicted func(*record.Prediction) *float64) Chart {
	c.Y = Axis{Label: "hit rate", Unit: HitRate}
	return overCaches(s, c, figureSource{
		measured: func(r *record.Result) (Point, bool) { return known(measured(r)) },
		published: func(r *record.Result) (float64, bool) {
			if r.Published == nil {
				return 0, false
			}
			y, err := r.Published.HitRates[published].Float64()
			return y, err == nil
		},
		predicted: func(p *record.Prediction) (all []prediction) {
			if y := predicted(p); y != nil {
				all = append(all, prediction{"", *y})
			}
			return all
		},
	})
}

// overCaches adds a figure of every curve to a chart: measured, continued, published and predicted.
func overCaches(s *study.Study, c Chart, t figureSource) Chart {
	c.X = Axis{Label: "block cache", Unit: CacheBytes, Log: true}
	for i, curve := range s.Curves {
		line := func(name string, kind Kind, points []Point) {
			c.line(Line{Name: named(curve.Name, name), Kind: kind, Curve: &i, Colour: i, Points: points})
		}
		line("", Measured, over(curve.Runs, t.measured))
		line("after more Gets", Continued, over(curve.Runs, func(r *record.Result) (Point, bool) {
			last, known := t.measured(r.LastPart())
			return last, known && len(r.Continued) > 0
		}))
		line("published", Published, over(curve.Runs, func(r *record.Result) (Point, bool) {
			y, ok := t.published(r)
			return Point{Y: y}, ok
		}))
		for _, p := range predictions(curve, t) {
			line(p.Name, Predicted, p.Points)
		}
		c.Marks = append(c.Marks, inflectionPoints(i, curve)...)
	}
	return c
}

func named(curve, name string) string {
	if name == "" {
		return curve
	}
	return curve + ", " + name
}

// over returns a point for each run that has the figure.
func over(runs []*record.Result, figure func(*record.Result) (Point, bool)) (points []Point) {
	for _, r := range runs {
		if p, ok := figure(r); ok {
			p.X = float64(r.Cache.Bytes)
			p.Share = share(r.Cache.Bytes, r.Dataset.Bytes)
			points = append(points, p)
		}
	}
	return points
}

// predictions returns a line for each method of prediction.
func predictions(curve *study.Curve, t figureSource) (lines []Line) {
	for _, p := range curve.Predictions {
		for _, one := range t.predicted(p) {
			name := "predicted (" + named(p.Method, p.Cache.Policy) + ")" + one.of
			i := slices.IndexFunc(lines, func(l Line) bool { return l.Name == name })
			if i < 0 {
				i = len(lines)
				lines = append(lines, Line{Name: name})
			}
			lines[i].Points = append(lines[i].Points, Point{X: float64(p.Cache.Bytes), Share: share(p.Cache.Bytes, curve.Bytes()), Y: one.y})
		}
	}
	return lines
}

// inflectionPoints returns one mark if no index has a second level, two otherwise, and none if the tree is unknown.
func inflectionPoints(i int, curve *study.Curve) (marks []Mark) {
	mark := func(name string, bytes int64) {
		if bytes > 0 {
			marks = append(marks, Mark{Name: name, Curve: i, X: float64(bytes), Share: share(bytes, curve.Bytes())})
		}
	}
	switch shape := curve.Shape(); {
	case shape == nil:
	case shape.IP1Bytes == shape.IP2Bytes:
		mark("IP1,2", shape.IP1Bytes)
	default:
		mark("IP1", shape.IP1Bytes)
		mark("IP2", shape.IP2Bytes)
	}
	return marks
}

func share(bytes, of int64) *float64 {
	if of <= 0 {
		return nil
	}
	s := float64(bytes) / float64(of)
	return &s
}

// shareOf is the share of the database that a cache is; nil if unknown.
func shareOf(c record.Cache) *float64 {
	if c.FractionOfDB <= 0 {
		return nil
	}
	return &c.FractionOfDB
}

func ios(io *record.IOsPerGet) Point {
	p := Point{Y: io.Mean, Steady: io.Steady}
	if io.CI95 != nil {
		p.Low, p.High = &io.CI95[0], &io.CI95[1]
	}
	return p
}

func known(y *float64) (Point, bool) {
	if y == nil {
		return Point{}, false
	}
	return Point{Y: *y}, true
}

// predictedRate returns the hit rate over all components.
func predictedRate(p *record.Prediction) *float64 {
	var accesses, misses float64
	for _, c := range p.Components {
		accesses += c.Accesses
		misses += c.Misses
	}
	return record.NewPredictedComponent(accesses, misses).HitRate
}
