package replay

import (
	"math"
	"slices"

	"getio/tree/readpath"
)

// pair is a block and a neighbourhood that it serves.
type pair struct {
	block uint64
	in    int64
}

// kind is the blocks of a component in one table or, if that has few, in the tables of a level that
// have few.
type kind struct {
	file      uint64 // 0: of all such tables
	level     int
	component readpath.Component
}

// kindOf returns the kind of each component of each table.
func (s *sample) kindOf(blocks map[uint64]*sampled) func(place uint64) kind {
	const enough = 50 // blocks, for a table to be told apart
	count := map[kind]int{}
	of := func(place uint64) kind {
		file := place >> 32
		return kind{file, s.levels[file], blocks[place].component}
	}
	for place := range blocks {
		count[of(place)]++
	}
	return func(place uint64) kind {
		k := of(place)
		if count[k] < enough {
			k.file = 0
		}
		return k
	}
}

// common is what the blocks of a kind have in common.
type common struct {
	blocks, in float64
	accesses   []int // by each neighbourhood that a block serves
	usual      float64
}

// enoughIn is the number of sampled neighbourhoods of a block from which it speaks for itself. With
// fewer, chance decides too much, and the mean of the blocks of its kind does.
const enoughIn = 8

// estimate sets repeat and extra of all blocks.
func (s *sample) estimate(blocks map[uint64]*sampled, served map[pair]int, rate float64) {
	kindOf, kinds := s.kindOf(blocks), map[kind]*common{}
	for place, b := range blocks {
		k := kindOf(place)
		if kinds[k] == nil {
			kinds[k] = &common{}
		}
		kinds[k].blocks++
		kinds[k].in += float64(b.in)
	}
	for p, n := range served {
		of := kinds[kindOf(p.block)]
		of.accesses = append(of.accesses, n)
	}
	for _, of := range kinds {
		of.usual = typical(of.accesses)
	}
	for place, b := range blocks {
		in := float64(b.in)
		own, each := in, float64(b.accesses)/in
		if of := kinds[kindOf(place)]; b.in < enoughIn {
			own, each = of.in/of.blocks, of.usual
		}
		all := neighbourhoodsOf(own, rate)
		b.repeat = (1 - math.Pow(1-rate, all)) / rate
		b.extra = max(all-in, 0) * each / float64(b.accesses)
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
