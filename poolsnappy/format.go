package poolsnappy

import "math/bits"

// Tags of the Snappy format (google/snappy: format_description.txt).
const (
	tagLiteral = 0
	tagCopy1   = 1
	tagCopy2   = 2
)

func uvarintLen(n int) int { return (bits.Len(uint(n|1)) + 6) / 7 }

// literalLen is the encoded length of a literal of n bytes, of none if n is 0.
func literalLen(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= 60:
		return n + 1
	case n <= 1<<8:
		return n + 2
	}
	return n + 3
}

func appendLiteral(dst, literal []byte) []byte {
	switch n := len(literal) - 1; {
	case n < 0:
		return dst
	case n < 60:
		dst = append(dst, byte(n)<<2|tagLiteral)
	case n < 1<<8:
		dst = append(dst, 60<<2|tagLiteral, byte(n))
	default:
		dst = append(dst, 61<<2|tagLiteral, byte(n), byte(n>>8))
	}
	return append(dst, literal...)
}

// A copy of up to 64 bytes takes 3 bytes, or 2 if it is short and near. Longer
// ones are cut so that what remains is not below 4.
const (
	longCopy     = 64
	longCopyRest = 60
)

// copyLen is the encoded length of a copy, of none if its length is 0.
func copyLen(offset, length int) (n int) {
	if length == 0 {
		return 0
	}
	for ; length >= longCopy+gram; length -= longCopy {
		n += 3
	}
	if length > longCopy {
		length -= longCopyRest
		n += 3
	}
	if isNear(offset, length) {
		return n + 2
	}
	return n + 3
}

func appendCopy(dst []byte, offset, length int) []byte {
	if length == 0 {
		return dst
	}
	for ; length >= longCopy+gram; length -= longCopy {
		dst = appendCopy2(dst, offset, longCopy)
	}
	if length > longCopy {
		dst = appendCopy2(dst, offset, longCopyRest)
		length -= longCopyRest
	}
	if isNear(offset, length) {
		return append(dst, byte(offset>>8)<<5|byte(length-gram)<<2|tagCopy1, byte(offset))
	}
	return appendCopy2(dst, offset, length)
}

func isNear(offset, length int) bool { return length < 12 && offset < 2048 }

func appendCopy2(dst []byte, offset, length int) []byte {
	return append(dst, byte(length-1)<<2|tagCopy2, byte(offset), byte(offset>>8))
}
