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
type Values struct {
	generator
	kind   string
	size   int
	rounds uint64 // of updates
}

// generator makes the values of one kind.
type generator interface {
	// Updated writes to dst[:0] the value that a round of updates, counted from 1, gives to key
	// number i and returns it. Round 0 is the load. It does not allocate if dst has the capacity.
	Updated(i, round uint64, dst []byte) []byte
	// is reports, without allocating, whether Updated returns this value, which has the right size.
	is(i, round uint64, value []byte) bool
	// distinct is the number of rounds after which the values of a key repeat.
	distinct() uint64
}

// Kind returns the kind, as passed to NewValues.
func (v *Values) Kind() string { return v.kind }

// Size returns the length of every value in bytes, at least 1.
func (v *Values) Size() int { return v.size }

// Value is Updated for the load.
func (v *Values) Value(i uint64, dst []byte) []byte { return v.Updated(i, 0, dst) }

// Check reports, without allocating, whether key number i may have the value: that of
// the load or of any round of updates set by WithUpdates.
func (v *Values) Check(i uint64, value []byte) bool {
	if len(value) != v.size {
		return false
	}
	for round := range min(v.rounds, v.distinct()-1) + 1 {
		if v.is(i, round, value) {
			return true
		}
	}
	return false
}

// WithUpdates returns the same values after that many rounds of updates.
func (v *Values) WithUpdates(rounds uint64) *Values {
	updated := *v
	updated.rounds = rounds
	return &updated
}

// Pool returns the values of a pool, which must not be changed, and a function that returns the index
// among them of the value that the load gives to key i. Both are nil for values of other kinds.
func (v *Values) Pool() (members [][]byte, choice func(i uint64) int) {
	if p, ok := v.generator.(*pool); ok {
		return p.values, func(i uint64) int { return p.choose(i, 0) }
	}
	return nil, nil
}

// NewValues returns the values of the given kind and size in bytes. Equal seeds give equal values.
func NewValues(kind string, size int, seed uint64) (*Values, error) {
	if err := checkValues(kind, size); err != nil {
		return nil, err
	}
	v := &Values{kind: kind, size: size}
	switch kind {
	case ValuesPool32:
		v.generator = newPool(size, seed)
	case ValuesAccounts:
		v.generator = accounts{newStream(seed, forAccounts)}
	default:
		v.generator = randomValues{size, newStream(seed, forRandomValues)}
	}
	return v, nil
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
