package dataset

import "fmt"

// Kinds of values in NewValues and the manifest.
const (
	// ValuesPool32 gives every key one of 32 random values, as in the published databases.
	// With 110-byte values, Snappy compresses them to about 118 bytes per key.
	ValuesPool32 = "pool32"
	// ValuesRandom gives every key its own random bytes, which do not compress.
	ValuesRandom = "random"
	// ValuesAccounts gives every key an account of AccountSize bytes as the chain encodes it.
	// 72 bytes are random; the rest, such as the root of its empty storage, is the same in all.
	ValuesAccounts = "accounts"
)

// ValueKinds lists the kinds of values.
var ValueKinds = []string{ValuesPool32, ValuesRandom, ValuesAccounts}

// maxValueSize limits the memory that a wrong size can allocate: a pool has 32 values.
const maxValueSize = 16 << 20

// Values generates the value of each key. All values have one size. It is safe for concurrent use.
//
// A key has one value per round. Round 0 is the load; every round of updates gives the
// keys that it overwrites another value. In a pool, values of different rounds differ up
// to round 31; random values differ unless random bytes of that size happen to be equal.
type Values interface {
	// Kind returns the kind, as passed to NewValues.
	Kind() string
	// Size returns the length of every value in bytes, at least 1.
	Size() int
	// Value writes to dst[:0] the value that the load gives to key number i and returns
	// it. It does not allocate if dst has the capacity.
	Value(i uint64, dst []byte) []byte
	// Updated is like Value for a round of updates, counted from 1. Round 0 is the load.
	Updated(i, round uint64, dst []byte) []byte
	// Check reports, without allocating, whether key number i may have the value: that of
	// the load or of any round of updates set by WithUpdates.
	Check(i uint64, value []byte) bool
	// WithUpdates returns the same values after that many rounds of updates.
	WithUpdates(rounds uint64) Values
}

// NewValues returns the values of the given kind and size in bytes. Equal seeds give equal values.
func NewValues(kind string, size int, seed uint64) (Values, error) {
	if err := checkValues(kind, size); err != nil {
		return nil, err
	}
	switch kind {
	case ValuesPool32:
		return newPool(size, seed), nil
	case ValuesAccounts:
		return newAccounts(seed), nil
	}
	return newRandomValues(size, seed), nil
}

// checkValues returns the error that NewValues would return.
func checkValues(kind string, size int) error {
	switch {
	case kind != ValuesPool32 && kind != ValuesRandom && kind != ValuesAccounts:
		return fmt.Errorf("unknown values %q: use %q, %q or %q", kind, ValuesPool32, ValuesRandom, ValuesAccounts)
	case kind == ValuesAccounts && size != AccountSize:
		return fmt.Errorf("accounts have %d bytes, not %d: leave out the size of values, or use random ones", AccountSize, size)
	case size < 1 || size > maxValueSize:
		return fmt.Errorf("value size of %d bytes is out of range: use 1 to %d", size, maxValueSize)
	}
	return nil
}

// Pooled are Values that are chosen from a small pool.
type Pooled interface {
	Values
	// Members returns the values of the pool. They must not be changed.
	Members() [][]byte
	// Choice returns the index in Members of the value that the load gives to key i.
	Choice(i uint64) int
}
