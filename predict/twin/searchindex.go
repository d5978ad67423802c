package twin

import "math/bits"

// searchIndex speeds up the search in an ascending list of numbers. start holds the place of the
// first number at or above each value of the leading bits.
type searchIndex struct {
	list  []uint64
	shift int
	start []uint32
}

// newSearchIndex makes about four entries per number, so that little is left to search.
func newSearchIndex(list []uint64) searchIndex {
	entries := max(bits.Len(uint(4*len(list)-1)), 2) // log2
	last := list[len(list)-1]
	shift := max(bits.Len64(last)-entries, 0)
	s := searchIndex{list: list, shift: shift, start: make([]uint32, last>>shift+2)}
	at := 0
	for i := range s.start {
		for at < len(list) && list[at]>>shift < uint64(i) {
			at++
		}
		s.start[i] = uint32(at)
	}
	return s
}

// first returns the place of the first number >= n.
func (s *searchIndex) first(n uint64) int {
	i := int(s.start[min(n>>s.shift, uint64(len(s.start)-1))])
	for i < len(s.list) && s.list[i] < n {
		i++
	}
	return i
}
