package chaindata

import "encoding/binary"

// BlockOf is the number of the block that an entry is of: of those that are a single
// block's, by its number, its hash or the hash of a transaction. ok is false for all
// others. (core/rawdb: accessors_chain.go, accessors_indexes.go)
func BlockOf(key, value []byte) (number uint64, ok bool) {
	switch CategoryOf(key, value) {
	case Headers, Bodies, Receipts, Difficulties, NumberToHash, AccessLists:
		return binary.BigEndian.Uint64(key[1:]), true
	case HashToNumber, Transactions: // the latter without zeros in front
		if len(value) > numberLen {
			return 0, false // of an old schema
		}
		for _, b := range value {
			number = number<<8 | uint64(b)
		}
		return number, true
	}
	return 0, false
}
