// Package mdbx serves libmdbx over the adapter protocol: a B+tree in one memory-mapped file,
// which Erigon and Reth use for state. The kernel reads its pages, so it has no file layer
// at which getio could count reads. It is measured from outside, as a child process.
package mdbx

import "encoding/binary"

// TableOption begins an option that names a table of an existing database.
const TableOption = "table="

// lookupBytes precede the key of a lookup: the number of its table (1), and the size of the key (2,
// little-endian). The value follows the key, in tables that may have several of a key.
const lookupBytes = 3

// AppendLookup appends the lookup of a key in a table, by its number among the opened ones.
func AppendLookup(to []byte, table int, key, value []byte) []byte {
	to = append(to, byte(table))
	to = binary.LittleEndian.AppendUint16(to, uint16(len(key)))
	return append(append(to, key...), value...)
}

func splitLookup(b []byte) (table int, key, value []byte, ok bool) {
	if len(b) < lookupBytes {
		return 0, nil, nil, false
	}
	n := int(binary.LittleEndian.Uint16(b[1:]))
	if n > len(b)-lookupBytes {
		return 0, nil, nil, false
	}
	return int(b[0]), b[lookupBytes : lookupBytes+n], b[lookupBytes+n:], true
}
