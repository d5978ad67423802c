package census

import (
	"context"
	"math"
	"math/rand/v2"

	"getio/engine"
	"getio/numbers/interval"
	"getio/record"
)

// Sample estimates the tallies, and their total, from n random ranges of keys, of those into
// which the tables divide the key space; n is at least 2 and at most their number. The ranges include keys that only
// the write-ahead log holds. Keys of a category lie together, so the sample is stratified: each part of the key space
// has an equal share of the ranges that begin in a level. (Cochran, Sampling Techniques, chapter 5) progress, if not nil,
// is called after each range.
func Sample(ctx context.Context, db engine.Ordered, s engine.Sampler, n int64, seed uint64, progress func(ranges int64)) (estimates Tallies, all record.CategoryTally, err error) {
	random := rand.New(rand.NewPCG(seed, 0))
	var whole estimate
	ofCategory := map[string]*estimate{}
	done := int64(0)
	for _, h := range strata(int64(s.Ranges()), n) {
		var sum moments
		sums := map[string]moments{}
		for _, number := range draw(random, h.ranges, h.drawn) {
			tallies, err := countRange(ctx, db, s, uint64(h.first+number))
			if err != nil {
				return nil, all, err
			}
			for category, tally := range tallies {
				m := sums[category]
				m.add(tally)
				sums[category] = m
			}
			sum.add(total(tallies))
			if done++; progress != nil {
				progress(done)
			}
		}
		whole.add(sum, h)
		for category, m := range sums {
			if ofCategory[category] == nil {
				ofCategory[category] = &estimate{}
			}
			ofCategory[category].add(m, h)
		}
	}
	estimates = Tallies{}
	for category, e := range ofCategory {
		estimates[category] = e.tally()
	}
	return estimates, whole.tally(), nil
}

func countRange(ctx context.Context, db engine.Ordered, s engine.Sampler, number uint64) (Tallies, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	first, last, err := s.Range(number)
	if err != nil {
		return nil, err
	}
	tallies := Tallies{}
	return tallies, count(ctx, db, first, last, tallies, func(int64) {})
}

// stratum is ranges that begin in neighbouring data blocks of a level, of which some are drawn.
type stratum struct{ first, ranges, drawn int64 }

// perStratum is how many ranges are drawn from a stratum. Fewer would make the strata smaller and more uniform, but the
// standard error less certain.
const perStratum = 4

// strata divides the ranges into strata, whose sizes are in proportion to the ranges drawn from them: perStratum, and up
// to three more from the last. n is at most of.
func strata(of, n int64) []stratum {
	all := make([]stratum, max(n/perStratum, 1))
	for i := range all {
		before := perStratum * int64(i)
		until := before + perStratum
		if i == len(all)-1 {
			until = n
		}
		first := of * before / n
		all[i] = stratum{first: first, ranges: of*until/n - first, drawn: until - before}
	}
	return all
}

// draw returns n distinct numbers below of, in random order (Floyd's algorithm: Bentley,
// CACM 30(9), 1987).
func draw(random *rand.Rand, of, n int64) []int64 {
	drawn := make(map[int64]bool, n)
	list := make([]int64, 0, n)
	for top := of - n; top < of; top++ {
		number := random.Int64N(top + 1)
		if drawn[number] {
			number = top
		}
		drawn[number] = true
		list = append(list, number)
	}
	return list
}

// moments sums tallies over the ranges that were drawn from a stratum.
type moments struct {
	hits                       int64 // ranges that hold keys
	keys, keyBytes, valueBytes int64
	squaredKeys, squaredBytes  float64
}

func (m *moments) add(t record.CategoryTally) {
	if t.Keys > 0 {
		m.hits++
	}
	m.keys += t.Keys
	m.keyBytes += t.KeyBytes
	m.valueBytes += t.ValueBytes
	keys, bytes := float64(t.Keys), float64(t.KeyBytes+t.ValueBytes)
	m.squaredKeys += keys * keys
	m.squaredBytes += bytes * bytes
}

// estimate adds up the estimates of the strata, and their variances.
type estimate struct {
	keys, keyBytes, valueBytes  float64
	keysVariance, bytesVariance variance
}

// add scales what the drawn ranges of a stratum hold to all of its ranges.
func (e *estimate) add(m moments, h stratum) {
	scale := float64(h.ranges) / float64(h.drawn)
	e.keys += float64(m.keys) * scale
	e.keyBytes += float64(m.keyBytes) * scale
	e.valueBytes += float64(m.valueBytes) * scale
	e.keysVariance.add(m.hits, m.keys, m.squaredKeys, h)
	e.bytesVariance.add(m.hits, m.keyBytes+m.valueBytes, m.squaredBytes, h)
}

func (e *estimate) tally() record.CategoryTally {
	rounded := func(x float64) int64 { return int64(math.Round(x)) }
	t := record.CategoryTally{Keys: rounded(e.keys), KeyBytes: rounded(e.keyBytes), ValueBytes: rounded(e.valueBytes)}
	t.KeysError, t.KeysFreedom = e.keysVariance.standardError()
	t.BytesError, t.BytesFreedom = e.bytesVariance.standardError()
	return t
}

// variance adds up the variances of the strata, and their squares, each divided by f+2 for f degrees of freedom.
type variance struct {
	sum, squares float64
	within       float64 // part of sum, from how much the drawn ranges with keys differ
	hits         int64   // drawn ranges with keys, of strata of which some were not drawn
	rare         int64   // the smaller number of drawn ranges with keys and without, summed over these strata
	notDrawn     float64 // what the other ranges of these are estimated to hold
}

// add adds the variance of a stratum's estimate. hits of its drawn ranges have keys; sum and squares are over these.
func (v *variance) add(hits, sum int64, squares float64, h stratum) {
	n, of := float64(h.drawn), float64(h.ranges)
	if n == of || hits == 0 {
		return
	}
	v.hits += hits
	v.rare += min(hits, h.drawn-hits)
	v.notDrawn += float64(sum) / n * (of - n)
	scale := of * of / n * (1 - n/of) / (n - 1)
	ofStratum := scale * max(squares-float64(sum)*float64(sum)/n, 0)
	v.sum += ofStratum
	v.within += scale * max(squares-float64(sum)*float64(sum)/float64(hits), 0)
	v.squares += ofStratum * ofStratum / (n + 1)
}

// standardError returns the standard error and, unless all ranges were drawn, its degrees of freedom by Satterthwaite's
// rule (Biometrics Bulletin 2, 1946). The square of an estimated variance with f degrees of freedom is (f+2)/f times too
// large on average.
//
// The drawn ranges of a stratum with keys may all be of the category, although it ends within the stratum; the variance
// is then too small. So the part that comes from how many ranges have keys is at least that of a Poisson count: of ranges
// with keys where these are rare in a stratum, else of those without.
func (v *variance) standardError() (off, freedom *float64) {
	if v.hits == 0 {
		return new(0.0), nil
	}
	f := float64(max(v.hits-1, 1))
	if v.squares > 0 {
		f = v.sum*v.sum/v.squares - 2
	}
	rare := float64(v.rare)
	half := v.notDrawn * min((interval.MostExpected(rare)-rare)/float64(v.hits), 1)
	few := half / interval.Student(interval.Usual, f)
	return new(math.Sqrt(v.within + max(v.sum-v.within, few*few))), &f
}
