package chaindata

import "encoding/binary"

// BlockOf returns the number of the block that an entry belongs to: those indexed by block
// number or block hash, and transaction lookups. ok is false for all other entries.
// (core/rawdb: accessors_chain.go, accessors_indexes.go)
func BlockOf(key, value []byte) (number uint64, ok bool) {
	switch CategoryOf(key, value) {
	case Headers, Bodies, Receipts, Difficulties, NumberToHash, AccessLists:
		return binary.BigEndian.Uint64(key[1:]), true
	case HashToNumber, Transactions: // the latter without leading zeros
		if len(value) > numberLen {
			return 0, false // written by an old schema
		}
		for _, b := range value {
			number = number<<8 | uint64(b)
		}
		return number, true
	}
	return 0, false
}
