package replay

import (
	"cmp"
	"math"
	"slices"

	"getio/engine/readpath"
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
// the sample. Means are taken over blocks of one level and about one width. Where these are few, the share of
// neighbourhoods that are asked for on other levels and at other widths counts as well.

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

// blocks says of each block of the sample how it stands for all, by its number.
func (s *sample) blocks(rate float64, without int) map[uint64]*sampled {
	served := map[pair]int{}
	blocks := map[uint64]*sampled{}
	s.each(without, func(get, i int) {
		a := &s.accesses[i]
		b := blocks[a.Number]
		if b == nil {
			b = &sampled{Block: *a}
			blocks[a.Number] = b
		}
		b.accesses++
		p := pair{b, s.in[get]}
		if served[p]++; served[p] == 1 {
			b.in++
		}
	})
	s.estimate(blocks, served, rate)
	return blocks
}

// enoughIn is the number of sampled neighbourhoods of a block from which it speaks for itself. With
// fewer, chance decides too much, and the mean of the blocks of its kind does.
const enoughIn = 8

// estimate sets repeat and extra of all blocks.
func (s *sample) estimate(blocks map[uint64]*sampled, served map[pair]int, rate float64) {
	setWidths(blocks, served)
	kinds := map[kind]*common{}
	of := func(b *sampled) *common {
		k := kind{s.levels[b.File], b.Component, widthClass(b.width)}
		if kinds[k] == nil {
			kinds[k] = &common{}
		}
		return kinds[k]
	}
	for _, b := range blocks {
		k := of(b)
		k.blocks++
		k.in += float64(b.in)
		k.width += b.width
	}
	for p, n := range served {
		k := of(p.block)
		k.accesses = append(k.accesses, n)
	}
	shares := sharesAskedFor(kinds, rate)
	for which, k := range kinds {
		k.all, k.usual = k.neighbourhoods(shares[which.component], rate), typical(k.accesses)
	}
	for _, b := range blocks {
		k, in := of(b), float64(b.in)
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
	middles := map[*sampled]float64{} // of the neighbourhoods that a block serves, in the order of keys
	for p := range served {
		middles[p.block] += float64(p.in) / float64(p.block.in)
	}
	parts := map[part][]*sampled{}
	for _, b := range blocks {
		p := part{b.File, b.Component}
		parts[p] = append(parts[p], b)
	}
	for _, list := range parts {
		slices.SortFunc(list, func(a, b *sampled) int { return cmp.Compare(a.Offset, b.Offset) })
		stored := 0.0
		for _, b := range list {
			stored += float64(b.Stored) / float64(len(list))
		}
		for i, b := range list {
			from, to := list[max(i-1, 0)], list[min(i+1, len(list)-1)]
			if from != to {
				b.width = max(middles[to]-middles[from], 1) * stored / float64(to.Offset-from.Offset)
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

// sharesAskedFor estimates for each component which share of a block's other neighbourhoods is asked for. It fits the
// share to the number of sampled neighbourhoods of all wide blocks of the component, on all levels.
func sharesAskedFor(kinds map[kind]*common, rate float64) map[readpath.Component]float64 {
	wide := map[readpath.Component][]*common{}
	for which, k := range kinds {
		if which.width > narrow {
			wide[which.component] = append(wide[which.component], k)
		}
	}
	shares := map[readpath.Component]float64{}
	for c, list := range wide {
		shares[c] = solve(0, 1, func(share float64) bool {
			more := 0.0
			for _, k := range list {
				more += k.in - k.blocks*sampledOf(k.served(share), rate)
			}
			return more > 0
		})
	}
	return shares
}

// served returns the neighbourhoods of each block, if a share of the others beside its first one is asked for.
func (k *common) served(share float64) float64 { return 1 + share*max(k.width/k.blocks-1, 0) }

// neighbourhoods returns how many neighbourhoods each block of a kind serves. The mean of few blocks is noisy. So it is
// drawn towards the share of the component: blocks that serve as many as that share says are added, with one
// neighbourhood in all beyond one each.
func (k *common) neighbourhoods(share, rate float64) float64 {
	served := k.served(share)
	if served < 1+1e-6 { // the width is not known, or hardly any of it is asked for
		return neighbourhoodsOf(k.in/k.blocks, rate)
	}
	usual := sampledOf(served, rate)
	added := 1 / (usual - 1)
	return min(neighbourhoodsOf((k.in+added*usual)/(k.blocks+added), rate), k.width/k.blocks+1)
}

// neighbourhoodsOf returns how many neighbourhoods a block serves, if so many of them are in a sample
// that has the block: the most likely number.
func neighbourhoodsOf(in, rate float64) float64 {
	if in <= 1 {
		return 1
	}
	return solve(1, in/rate, func(m float64) bool { return sampledOf(m, rate) < in })
}

// sampledOf returns how many of the m neighbourhoods of a block are in a sample that has the block, on average.
func sampledOf(m, rate float64) float64 { return m * rate / (1 - math.Pow(1-rate, m)) }

// solve returns the number between least and most from which on more is false.
func solve(least, most float64, more func(float64) bool) float64 {
	for range 60 {
		middle := (least + most) / 2
		if more(middle) {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}
