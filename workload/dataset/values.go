package dataset

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

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

const poolSize = 32

// pool holds 32 distinct random values. The load gives key i value hash(i) mod 32; each
// round of updates gives it the next value of the pool.
type pool struct {
	values [][]byte // poolSize of them, never modified
	choice stream
}

func newPool(size int, seed uint64) *pool {
	random := newStream(seed, forValuePool)
	values := make([][]byte, 0, poolSize)
	// Short values repeat: draw until 32 are distinct. Even one byte has 256 values.
	for n := uint64(0); len(values) < poolSize; n++ {
		value := make([]byte, size)
		fill(value, random.word(n))
		if !slices.ContainsFunc(values, func(v []byte) bool { return bytes.Equal(v, value) }) {
			values = append(values, value)
		}
	}
	return &pool{values: values, choice: newStream(seed, forValueChoice)}
}

func (p *pool) Updated(i, round uint64, dst []byte) []byte {
	return append(dst[:0], p.values[p.choose(i, round)]...)
}

func (p *pool) is(i, round uint64, value []byte) bool {
	return bytes.Equal(value, p.values[p.choose(i, round)])
}

func (*pool) distinct() uint64 { return poolSize }

func (p *pool) choose(i, round uint64) int { return int((p.choice.word(i) + round) % poolSize) }

// randomValues gives every key its own random bytes in every round.
type randomValues struct {
	size   int
	random stream
}

func (v randomValues) Updated(i, round uint64, dst []byte) []byte {
	dst = slices.Grow(dst[:0], v.size)[:v.size]
	fill(dst, v.start(i, round))
	return dst
}

func (v randomValues) is(i, round uint64, value []byte) bool { return filled(value, v.start(i, round)) }

func (randomValues) distinct() uint64 { return math.MaxUint64 }

// start returns the random word from which a value is generated.
func (v randomValues) start(i, round uint64) uint64 {
	return mix64(v.random.word(i) ^ mix64(round))
}

// fill fills b with the random bytes generated from start: the words of SplitMix64 in
// little-endian order, with the last one truncated.
func fill(b []byte, start uint64) {
	for len(b) >= 8 {
		start += golden
		binary.LittleEndian.PutUint64(b, mix64(start))
		b = b[8:]
	}
	if len(b) > 0 {
		last := lastWord(start)
		copy(b, last[:])
	}
}

// filled reports whether b is what fill would write. It stops at the first difference.
func filled(b []byte, start uint64) bool {
	for len(b) >= 8 {
		start += golden
		if binary.LittleEndian.Uint64(b) != mix64(start) {
			return false
		}
		b = b[8:]
	}
	last := lastWord(start)
	return string(b) == string(last[:len(b)])
}

func lastWord(start uint64) (last [8]byte) {
	binary.LittleEndian.PutUint64(last[:], mix64(start+golden))
	return last
}

// AccountSize is the bytes of an account as the chain encodes it, if its nonce and balance have
// their full width: an RLP list of nonce (8 bytes), balance (32), storage root (32) and code
// hash (32), each after one byte with its length, and two bytes for the list's.
const AccountSize = 110

// Offsets in an account.
const (
	accountNonce   = 3
	accountBalance = accountNonce + 8 + 1
	accountStorage = accountBalance + 32 + 1
	accountCode    = accountStorage + 32 + 1
)

// accountForm is an account whose free bytes are 0. Its storage root is that of an account without
// storage: the Keccak-256 hash of the RLP of an empty string.
var accountForm = func() (form [AccountSize]byte) {
	form[0], form[1] = 0xf8, AccountSize-2
	form[accountNonce-1] = 0x80 + 8
	for _, at := range []int{accountBalance, accountStorage, accountCode} {
		form[at-1] = 0x80 + 32
	}
	_, err := hex.Decode(form[accountStorage:], []byte("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"))
	if err != nil {
		panic(err)
	}
	return form
}()

// accounts gives every key an account with random nonce, balance and code hash in every round.
type accounts struct{ random stream }

func (a accounts) Updated(i, round uint64, dst []byte) []byte {
	start := mix64(a.random.word(i) ^ mix64(round))
	dst = append(slices.Grow(dst[:0], AccountSize), accountForm[:]...)
	fill(dst[accountCode:], start)
	fill(dst[accountNonce:accountBalance-1], mix64(start+1))
	fill(dst[accountBalance:accountStorage-1], mix64(start+2))
	dst[accountNonce] |= 1 // RLP has numbers without leading zeros
	dst[accountBalance] |= 1
	return dst
}

func (a accounts) is(i, round uint64, value []byte) bool {
	var want [AccountSize]byte
	return bytes.Equal(value, a.Updated(i, round, want[:0]))
}

func (accounts) distinct() uint64 { return math.MaxUint64 }
