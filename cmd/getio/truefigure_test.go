package main

import (
	"math"
	"math/rand/v2"

	"getio/internal/truth"
)

// trueFigure is the number of reads per Get, half of its 95% interval, and the bytes per Get.
type trueFigure struct {
	Mean, Half float64
	Bytes      float64
}

const (
	// batches estimate the error of the mean; their means are compared.
	batches = 80
	// batchGets is the least number of Gets in a batch. Batches are merged in pairs, so that those of long runs are
	// longer and depend on each other less.
	batchGets = 2_000
	// twoSided is Student's t for 95% and half of the batches.
	twoSided = 2.02
)

// precision is how well a figure is to be known: as a share of it, or absolutely, whichever is more.
type precision struct{ Relative, Absolute float64 }

// mostTrueGets bounds the Gets for a figure. Where one Get in thousands empties the cache, they do not reach the precision,
// and the figure says how well it is known.
const mostTrueGets = 10_000_000

func (p precision) reached(f trueFigure) bool { return f.Half <= max(p.Relative*f.Mean, p.Absolute) }

// measureTruth fills the cache with Gets of workers and then makes Gets until the reads of one are known with the precision,
// or mostTrueGets are made. Whether they are known is asked each time that their number has doubled, and not after each
// batch: the first of many estimates that is small enough is too small.
func measureTruth(r truth.Reader, workers int, seed uint64, p precision) (trueFigure, error) {
	entries, err := r.Entries()
	if err != nil || len(entries) == 0 {
		return trueFigure{}, err
	}
	random := rand.New(rand.NewPCG(seed, 0)) // near seeds must not share batches
	// Blocks of tens of keys were accessed many times by then.
	if _, err := r.Gets(max(2*int64(len(entries)), batches/2*batchGets), workers, random.Uint64()); err != nil {
		return trueFigure{}, err
	}
	var means []float64
	var bytes, gets int64
	for size := int64(batchGets); ; size *= 2 {
		for len(means) < batches {
			reads, err := r.Gets(size, workers, random.Uint64())
			if err != nil {
				return trueFigure{}, err
			}
			means = append(means, float64(reads.Count)/float64(size))
			bytes, gets = bytes+reads.Bytes, gets+size
		}
		f := figureOf(means)
		for i := range batches / 2 {
			means[i] = (means[2*i] + means[2*i+1]) / 2
		}
		means = means[:batches/2]
		f.Half = max(f.Half, figureOf(means).Half) // longer batches have the larger error where neighbours are alike
		if p.reached(f) || gets >= mostTrueGets {
			f.Bytes = float64(bytes) / float64(gets)
			return f, nil
		}
	}
}

func figureOf(means []float64) trueFigure {
	n, mean, squares := float64(len(means)), 0.0, 0.0
	for _, m := range means {
		mean += m / n
	}
	for _, m := range means {
		squares += (m - mean) * (m - mean)
	}
	return trueFigure{Mean: mean, Half: twoSided * math.Sqrt(squares/(n-1)/n)}
}
