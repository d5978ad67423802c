package twin

// jump speeds up the search in an ascending list of numbers: it knows where the
// search ends for every number that begins with certain bits.
type searchIndex struct {
	shift uint
	start []uint32
}

// searchBits: with four times as many entries as numbers, little is left to search.
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

// from is a place in the list at or before the first number of at least n.
func (j *searchIndex) from(n uint64) int {
	return int(j.start[min(n>>j.shift, uint64(len(j.start)-1))])
}

// first is the place of the first number of at least n.
func (j *searchIndex) first(list []uint64, n uint64) int {
	i := j.from(n)
	for i < len(list) && list[i] < n {
		i++
	}
	return i
}

// firstTable is the place of the first table that ends at or behind key.
func (j *searchIndex) firstTable(tables []table, key uint64) int {
	i := j.from(key)
	for i < len(tables) && tables[i].hi < key {
		i++
	}
	return i
}
