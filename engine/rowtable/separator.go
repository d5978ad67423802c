package rowtable

import "getio/engine/blockformat"

// indexKey is the key of an index entry: at or above every key of its block and below
// every later key.
type indexKey struct {
	user    []byte
	trailer uint64
}

func (k indexKey) len() int { return len(k.user) + blockformat.KeyTrailerLen }

// separator shortens last, the last key of a block, as long as the result stays below first, the
// first key of the next block (Pebble: DefaultComparer.Separator). The result uses buf.
func separator(buf []byte, last, first *[KeySize]byte, trailer uint64) indexKey {
	i := 0
	for last[i] == first[i] {
		i++
	}
	buf = append(buf[:0], last[:]...)
	if i < KeySize-1 || last[i]+1 < first[i] {
		buf[i]++
		return indexKey{buf[:i+1], separatorTrailer}
	}
	return indexKey{buf, trailer} // they differ by 1 in their last byte
}

// successor shortens the last key of a table (Pebble: DefaultComparer.Successor).
func successor(buf []byte, last *[KeySize]byte, trailer uint64) indexKey {
	buf = append(buf[:0], last[:]...)
	i := 0
	for ; i < KeySize && last[i] == 0xff; i++ {
	}
	if i == KeySize {
		return indexKey{buf, trailer}
	}
	buf[i]++
	return indexKey{buf[:i+1], separatorTrailer}
}
