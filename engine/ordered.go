package engine

import "fmt"

// Operation is what an open DB is read by, over and over.
type Operation string

// Operations, by their names in records.
const (
	OperationGet      Operation = "get"
	OperationScan     Operation = "scan"     // Ordered.ScanFrom
	OperationMultiget Operation = "multiget" // Ordered.Multiget
)

// IsGet tells whether keys are looked up one by one.
func (o Operation) IsGet() bool { return o == "" || o == OperationGet }

// Ordered is a DB that keeps its keys in order, as one that hashes them does not.
type Ordered interface {
	DB
	// Scan calls each with all keys from first up to, not including, last in their
	// order, and their values; nil bounds nothing. Both are only good until each
	// returns, and an error of its ends the scan.
	Scan(first, last []byte, each func(key, value []byte) error) error
	// ScanFrom is Scan of n keys from first on, or of fewer where the keys end. The
	// library asks for no block behind the last of them. The DB must have been opened
	// for OperationScan if what it counts is to be told apart and checked.
	ScanFrom(first []byte, n int, each func(key, value []byte) error) error
	// Multiget looks keys up together, with one iterator. Keys ascend; each is called
	// for every one of them, with its number and, if it was found, its value, which is
	// only good until each returns. An error of each ends it. The DB must have been
	// opened for OperationMultiget.
	Multiget(keys [][]byte, each func(i int, value []byte, found bool) error) error
}

// AsOrdered is the DB as one whose keys have an order.
func AsOrdered(db DB, of Info) (Ordered, error) {
	if o, ok := db.(Ordered); ok {
		return o, nil
	}
	return nil, fmt.Errorf("%s keeps the keys of %s in no order, so that nothing can be scanned or looked up in order there: make Gets", of.Engine, of.Dir)
}
