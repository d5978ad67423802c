package dataset

import "fmt"

// Kinds of values, as NewValues and the manifest name them.
const (
	// ValuesPool32 gives every key one of 32 random values, as in the published
	// databases: values that compress, to about 118 bytes per key with 110-byte
	// values under Snappy.
	ValuesPool32 = "pool32"
	// ValuesRandom gives every key random bytes of its own: values that do not
	// compress.
	ValuesRandom = "random"
)

// maxValueSize bounds what a mistaken size can allocate: a pool has 32 values.
const maxValueSize = 16 << 20

// Values draws the value of each key, of one size for all. It is safe for
// concurrent use.
//
// A key has one value per round: round 0 is the load, and every round of updates
// after it gives the keys that it overwrites another value. Values of different
// rounds differ up to round 31 in a pool of 32, and otherwise with all but the
// probability that random bytes of that size are equal.
type Values interface {
	// Kind is the name that NewValues knows it by.
	Kind() string
	// Size is the length of every value in bytes, at least 1.
	Size() int
	// Value appends to dst[:0] the value that the load gives to key number i. It
	// allocates nothing if dst has the capacity.
	Value(i uint64, dst []byte) []byte
	// Updated is Value for a round of updates, counted from 1; round 0 is Value.
	Updated(i, round uint64, dst []byte) []byte
	// Check says, without allocating, whether value is one that key number i can
	// have: its value of the load or of any round of updates, of which there are
	// none unless WithUpdates set them.
	Check(i uint64, value []byte) bool
	// WithUpdates returns the same values after that many rounds of updates.
	WithUpdates(rounds uint64) Values
}

// NewValues returns the values of the given kind and size in bytes. Equal seeds
// give equal values.
func NewValues(kind string, size int, seed uint64) (Values, error) {
	if err := checkValues(kind, size); err != nil {
		return nil, err
	}
	if kind == ValuesPool32 {
		return newPool(size, seed), nil
	}
	return newRandomValues(size, seed), nil
}

// checkValues says whether NewValues would succeed.
func checkValues(kind string, size int) error {
	if kind != ValuesPool32 && kind != ValuesRandom {
		return fmt.Errorf("unknown values %q: use %q or %q", kind, ValuesPool32, ValuesRandom)
	}
	if size < 1 || size > maxValueSize {
		return fmt.Errorf("value size of %d bytes is out of range: use 1 to %d", size, maxValueSize)
	}
	return nil
}

// Pooled are values of which each is one of a few, whatever the key.
type Pooled interface {
	Values
	// Members are the values that there are. They must not be changed.
	Members() [][]byte
	// Choice is the number of the member that the load gives to key i.
	Choice(i uint64) int
}
