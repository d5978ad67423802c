package replay

import (
	"math"
	"slices"

	"getio/tree/readpath"
)

// A block that serves m neighbourhoods is in a sample of the rate r with probability p = 1-(1-r)^m,
// and then the sample has mr/p of its neighbourhoods on average. An index or filter block has so many
// in the sample that their number gives m. A data block has one, rarely two: only the mean of many
// such blocks gives m, and only if m is about the same for all of them. If m varies, the mean is
// biased, because blocks with a large m are more often in the sample: it is E[m^2]/E[m], and too few
// blocks are counted by the factor E[m]^2/E[m^2].
//
// m varies with the keys: at each key, blocks of the densest level serve one neighbourhood, and those
// of a sparser level as many as lie beside each. Neighbourhoods are numbered in key order, and the
// blocks of a table lie in key order. So the difference of the numbers at a block's neighbours in the
// sample, divided by the number of blocks between these, is how many neighbourhoods lie beside one
// block there: its width. It comes from positions alone, however many neighbourhoods of a block are in
// the sample. Means are taken over blocks of one level and about one width.

// pair is a block and a neighbourhood that it serves.
type pair struct {
	block uint64
	in    int64
}

// kind is the blocks of a component in a level that have about the same width.
type kind struct {
	level     int
	component readpath.Component
	width     int
}

// common is what the blocks of a kind have in common.
type common struct {
	blocks, in float64
	accesses   []int // by each neighbourhood that a block serves
	width      float64
	all, usual float64
}

// enoughIn is the number of sampled neighbourhoods of a block from which it speaks for itself. With
// fewer, chance decides too much, and the mean of the blocks of its kind does.
const enoughIn = 8

// estimate sets repeat and extra of all blocks.
func (s *sample) estimate(blocks map[uint64]*sampled, served map[pair]int, rate float64) {
	setWidths(blocks, served)
	kinds := map[kind]*common{}
	of := func(place uint64) *common {
		b := blocks[place]
		k := kind{s.levels[place>>32], b.component, widthClass(b.width)}
		if kinds[k] == nil {
			kinds[k] = &common{}
		}
		return kinds[k]
	}
	for place, b := range blocks {
		k := of(place)
		k.blocks++
		k.in += float64(b.in)
		k.width += b.width
	}
	for p, n := range served {
		k := of(p.block)
		k.accesses = append(k.accesses, n)
	}
	for _, k := range kinds {
		k.all, k.usual = neighbourhoodsOfEach(k.in, k.blocks, k.width/k.blocks, rate), typical(k.accesses)
	}
	for place, b := range blocks {
		k, in := of(place), float64(b.in)
		all, each := k.all, k.usual
		switch {
		case b.in >= enoughIn:
			all, each = neighbourhoodsOf(in, rate), float64(b.accesses)/in
		case widthClass(b.width) == narrow:
			all = in
		}
		b.repeat = (1 - math.Pow(1-rate, all)) / rate
		b.extra = max(all-in, 0) * each / float64(b.accesses)
	}
}

// Widths of blocks are told apart by factors of the square root of two, but for these.
const (
	unknown = -1
	narrow  = 0 // a block serves one neighbourhood, or two if it is cut
)

func widthClass(width float64) int {
	const one = 1.25 // below it, a width is one neighbourhood, but for what chance adds
	switch {
	case width == 0:
		return unknown
	case width < one:
		return narrow
	}
	return 1 + int(math.Round(2*math.Log2(width)))
}

// part is a component of a table.
type part struct {
	file      uint64
	component readpath.Component
}

// setWidths sets the widths of all blocks but those that are alone in their part of a table.
func setWidths(blocks map[uint64]*sampled, served map[pair]int) {
	middles := map[uint64]float64{} // of the neighbourhoods that a block serves, in the order of keys
	for p := range served {
		middles[p.block] += float64(p.in) / float64(blocks[p.block].in)
	}
	parts := map[part][]uint64{}
	for place, b := range blocks {
		p := part{place >> 32, b.component}
		parts[p] = append(parts[p], place)
	}
	for _, places := range parts {
		slices.Sort(places)
		stored := 0.0
		for _, place := range places {
			stored += float64(blocks[place].stored) / float64(len(places))
		}
		for i, place := range places {
			from, to := places[max(i-1, 0)], places[min(i+1, len(places)-1)]
			if from < to {
				blocks[place].width = max(middles[to]-middles[from], 1) * stored / float64(to-from)
			}
		}
	}
}

// typical returns the mean of numbers, of which those far above the median count less: a few keys are
// asked for so often that they are always in a cache, and say nothing of the others.
func typical(numbers []int) float64 {
	slices.Sort(numbers)
	most, sum := 8*numbers[len(numbers)/2], 0
	for _, n := range numbers {
		sum += min(n, most)
	}
	return float64(sum) / float64(len(numbers))
}

// neighbourhoodsOfEach returns how many neighbourhoods each of some blocks of a width serves, if
// together they serve in of the sample. Each counts as its inverse, of which the mean is too large by
// the variance of m over its square: of few blocks, chance decides by how much they serve more than
// one each. That surplus has about its own mean as its variance. A surplus that is larger by 1-1/m
// has the right inverse, to the second order.
func neighbourhoodsOfEach(in, blocks, width, rate float64) float64 {
	if width < 1 {
		return neighbourhoodsOf(in/blocks, rate)
	}
	return min(neighbourhoodsOf((in+1-1/width)/blocks, rate), width+1)
}

// neighbourhoodsOf returns how many neighbourhoods a block serves, if so many of them are in a sample
// that has the block: the most likely number m has in = m*rate/(1-(1-rate)^m).
func neighbourhoodsOf(in, rate float64) float64 {
	if in <= 1 {
		return 1
	}
	least, most := 1.0, in/rate
	for range 60 {
		m := (least + most) / 2
		if m*rate/(1-math.Pow(1-rate, m)) < in {
			least = m
		} else {
			most = m
		}
	}
	return most
}
