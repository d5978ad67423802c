package twin

// jump speeds up the search in an ascending list of numbers. It holds the place of
// the first number at or above each value of the leading bits.
type searchIndex struct {
	shift uint
	start []uint32
}

// newSearchIndex makes about four entries per number, so that little is left to search.
func newSearchIndex(list []uint64) searchIndex {
	bits := uint(2)
	for 1<<bits < 4*len(list) {
		bits++
	}
	last := list[len(list)-1]
	shift := uint(0)
	for last>>shift >= 1<<bits {
		shift++
	}
	j := searchIndex{shift: shift, start: make([]uint32, last>>shift+2)}
	at := 0
	for i := range j.start {
		for at < len(list) && list[at]>>shift < uint64(i) {
			at++
		}
		j.start[i] = uint32(at)
	}
	return j
}

// from returns a place at or before that of the first number >= n.
func (j *searchIndex) from(n uint64) int {
	return int(j.start[min(n>>j.shift, uint64(len(j.start)-1))])
}

// first returns the place of the first number >= n.
func (j *searchIndex) first(list []uint64, n uint64) int {
	i := j.from(n)
	for i < len(list) && list[i] < n {
		i++
	}
	return i
}

// firstTable returns the place of the first table whose last key is >= key.
func (j *searchIndex) firstTable(tables []table, key uint64) int {
	i := j.from(key)
	for i < len(tables) && tables[i].hi < key {
		i++
	}
	return i
}
