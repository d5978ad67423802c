package engine

import "fmt"

// Ordered is a DB that keeps its keys in order, unlike one that hashes them. Keys and
// values that its methods pass to each are valid until each returns; an error of each ends
// the call and is returned.
type Ordered interface {
	DB
	// Scan passes each the keys from first up to, not including, last in order, with their
	// values. nil is unbounded.
	Scan(first, last []byte, each func(key, value []byte) error) error
	// ScanFrom scans n keys from first, or fewer at the end of the keys. The library
	// accesses no block beyond the last of them. To be counted by component and checked,
	// the DB must have been opened for workload.Scan.
	ScanFrom(first []byte, n int, each func(key, value []byte) error) error
	// Multiget looks ascending keys up with one iterator. It calls each for every key with its
	// index and, if it was found, its value. The DB must have been opened for workload.Multiget.
	Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error
}

// AsOrdered returns the DB as an Ordered, or an error if its keys have no order.
func AsOrdered(db DB, info Info) (Ordered, error) {
	if o, ok := db.(Ordered); ok {
		return o, nil
	}
	return nil, fmt.Errorf("%s does not keep the keys of %s in order, so they cannot be scanned or looked up in batches: make Gets", info.Engine, info.Dir)
}
