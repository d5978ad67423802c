package main

import (
	"math"

	"getio/internal/truth"
)

// trueFigure is the number of reads per Get, half of its 95% interval, and the bytes per Get.
type trueFigure struct {
	Mean, Half float64
	Bytes      float64
}

const (
	// fewestBatches estimate the error of the mean; their means are compared.
	fewestBatches = 40
	// batchGets is the least number of Gets in a batch. Batches are merged in pairs, so that those of long runs are
	// longer and depend on each other less.
	batchGets = 2_000
	// twoSided is Student's t for 95% and fewestBatches batches.
	twoSided = 2.02
)

// precision is how well a figure is to be known: as a share of it, or absolutely, whichever is more.
type precision struct{ Relative, Absolute float64 }

// mostTrueGets bounds the Gets for a figure. Where one Get in thousands empties the cache, they do not reach the precision,
// and the figure says how well it is known.
const mostTrueGets = 10_000_000

func (p precision) reached(f trueFigure) bool { return f.Half <= max(p.Relative*f.Mean, p.Absolute) }

// measureTruth fills the cache with Gets of workers and then makes Gets until the reads of one are known with the precision,
// or mostTrueGets are made.
func measureTruth(r truth.Reader, workers int, seed uint64, p precision) (trueFigure, error) {
	entries, err := r.Entries()
	if err != nil || len(entries) == 0 {
		return trueFigure{}, err
	}
	// Blocks of tens of keys were accessed many times by then.
	if _, err := r.Gets(max(2*int64(len(entries)), fewestBatches*batchGets), workers, seed); err != nil {
		return trueFigure{}, err
	}
	var batches []float64
	var bytes, gets int64
	for size := int64(batchGets); ; size *= 2 {
		for len(batches) < 2*fewestBatches {
			seed++
			reads, err := r.Gets(size, workers, seed<<32)
			if err != nil {
				return trueFigure{}, err
			}
			batches = append(batches, float64(reads.Count)/float64(size))
			bytes, gets = bytes+reads.Bytes, gets+size
			if f := figureOf(batches); len(batches) >= fewestBatches && (p.reached(f) || gets >= mostTrueGets) {
				f.Bytes = float64(bytes) / float64(gets)
				return f, nil
			}
		}
		for i := range fewestBatches {
			batches[i] = (batches[2*i] + batches[2*i+1]) / 2
		}
		batches = batches[:fewestBatches]
	}
}

func figureOf(batches []float64) trueFigure {
	n, mean, squares := float64(len(batches)), 0.0, 0.0
	for _, b := range batches {
		mean += b / n
	}
	for _, b := range batches {
		squares += (b - mean) * (b - mean)
	}
	return trueFigure{Mean: mean, Half: twoSided * math.Sqrt(squares/(n-1)/n)}
}
