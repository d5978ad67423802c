package replay

import (
	"getio/engine/readpath"
)

// A sample of Gets, those of one in N neighbourhoods of keys, goes through a cache of an Nth of the
// size (SHARDS: Waldspurger et al., FAST '15). That is right for blocks that lie in one
// neighbourhood: an Nth of them are left, each with all its accesses. A filter or an index serves
// many neighbourhoods: it is left in any case, with an Nth of its accesses. So a block that lies in
// a sample with probability p takes 1/(pN) of its bytes there, and each of its accesses counts
// 1/p. The accesses by neighbourhoods that are not in the sample are put back, at random moments
// between its own.

// sampled is what a sample says of one block.
type sampled struct {
	file      uint64
	offset    int64
	component readpath.Component
	stored    uint32 // bytes in the file
	accesses  int
	in        int     // the sampled neighbourhoods that it serves
	width     float64 // the neighbourhoods beside it; 0 if unknown
	repeat    float64 // pN, 1 or more
	// extra is the accesses by other neighbourhoods that come with each of the sample.
	extra float64
}

// pair is a block and a neighbourhood that it serves.
type pair struct {
	block *sampled
	in    int64
}

// sample is a recording of a sample.
type sample struct {
	*Recording
	one    int64 // of so many neighbourhoods
	groups int64 // into which the neighbourhoods are divided for the error
}

// each calls use with all accesses and the Gets that make them.
func (s *sample) each(without int, use func(get, access int)) {
	from := 0
	for get, end := range s.ends {
		if !s.leftOut(get, without) {
			for i := from; i < end; i++ {
				use(get, i)
			}
		}
		from = end
	}
}

func (s *sample) leftOut(get, without int) bool {
	return without >= 0 && s.in[get]%s.groups == int64(without)
}
