package chaindata

import (
	"encoding/binary"
	"slices"
)

// KeyRule selects the keys of a category by their length and their first eight bytes alone, for
// who sees keys without values. The first of KeyRules that fits a key applies.
type KeyRule struct {
	Category Category
	// A key fits if its first eight bytes, as a big-endian number, are Value where Mask has ones. A
	// shorter key has zeros behind it.
	Value, Mask uint64
	Least, Most int // of the length in bytes
}

// pathMask has ones where the path of a trie node has zeros: each byte is a nibble.
const pathMask = 0xf0

// KeyRules returns the rules of all categories but Unaccounted. They agree with CategoryOf, except
// that 32 bytes whose first eight fit no other rule are the key of a hash trie node whatever the
// value, and one node in 2^28 whose hash looks like a path is taken for one.
func KeyRules() (all []KeyRule) {
	for _, first := range rules {
		for _, r := range first {
			all = append(all, r.keyRule())
		}
	}
	slices.SortFunc(all, func(a, b KeyRule) int { return slices.Compare(order(a), order(b)) })
	return append(all, KeyRule{Category: HashNodes, Least: hashLen, Most: hashLen})
}

// order sorts rules with more fixed bits first, and makes the order the same in every run.
func order(r KeyRule) []uint64 {
	return []uint64{^r.Mask, r.Value, uint64(r.Least), uint64(r.Most)}
}

func (r *rule) keyRule() KeyRule {
	var value, mask [8]byte
	n := copy(value[:], r.prefix)
	for i := range n {
		mask[i] = 0xff
	}
	if r.category == AccountNodes || r.category == VerkleNodes {
		for i := n; i < len(mask); i++ {
			mask[i] = pathMask
		}
	}
	return KeyRule{
		Category: r.category, Value: binary.BigEndian.Uint64(value[:]), Mask: binary.BigEndian.Uint64(mask[:]),
		Least: r.least, Most: min(r.most, 1<<16),
	}
}

// Fits reports whether the rule selects a key.
func (r *KeyRule) Fits(key []byte) bool {
	var first [8]byte
	copy(first[:], key)
	return len(key) >= r.Least && len(key) <= r.Most && binary.BigEndian.Uint64(first[:])&r.Mask == r.Value
}
