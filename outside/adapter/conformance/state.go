package conformance

import (
	"encoding/binary"
	"math/rand/v2"

	"getio/outside/adapter"
)

// state is what a store has to hold: a generated set of keys, each with the value
// that was written last. Keys and values are functions of the seed.
type state struct {
	configuration adapter.Configuration
	rand          *rand.ChaCha8
	keys          [][]byte
	values        map[string][]byte
	keySize       int
	valueSizes    []int
	written       int // values, so far
}

// usualKey is the size of keys that stores of blockchain states have.
const usualKey = 32

func newState(c adapter.Configuration, seed uint64) *state {
	var s [32]byte
	binary.LittleEndian.PutUint64(s[:], seed)
	return &state{
		configuration: c, rand: rand.NewChaCha8(s), values: map[string][]byte{},
		keySize: min(max(usualKey, int(c.MinKey)), int(c.MaxKey)), valueSizes: valueSizes(c),
	}
}

// largestValue is of values that take several pages of any store.
const largestValue = 20_000

// valueSizes are those that the state's values have in turn: all that are allowed, or
// usual ones and the bounds of what is allowed.
func valueSizes(c adapter.Configuration) (sizes []int) {
	if len(c.ValueSizes) > 0 {
		for _, size := range c.ValueSizes {
			sizes = append(sizes, int(size))
		}
		return sizes
	}
	for _, size := range []int{int(c.MinValue), 32, 110, 72, 110, 1500, 110, min(largestValue, int(c.MaxValue))} {
		if c.TakesValue(size) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

// room is how many keys of its size there can be, at most so many as anyone asks for.
func (s *state) room() int {
	if s.keySize >= 4 {
		return 1 << 30
	}
	return 1 << (8*s.keySize - 1) // half of them stay absent
}

// bytes are n random ones.
func (s *state) bytes(n int) []byte {
	b := make([]byte, n)
	s.rand.Read(b) // never fails
	return b
}

// fresh is a key that the state does not have.
func (s *state) fresh() []byte {
	for {
		key := s.bytes(s.keySize)
		if _, taken := s.values[string(key)]; !taken {
			return key
		}
	}
}

// add makes n more keys with their values.
func (s *state) add(n int) (records []adapter.Record) {
	for range min(n, s.room()-len(s.keys)) {
		key := s.fresh()
		s.keys = append(s.keys, key)
		records = append(records, s.set(key))
	}
	return records
}

// set gives a key another value.
func (s *state) set(key []byte) adapter.Record {
	value := s.bytes(s.valueSizes[s.written%len(s.valueSizes)])
	s.written++
	if len(value) > 0 {
		value[0] |= 1 // some stores take values of zeros for absent ones
	}
	s.values[string(key)] = value
	return adapter.Record{Key: key, Value: value}
}

// update gives every step-th key another value.
func (s *state) update(step int) (records []adapter.Record) {
	for i := 0; i < len(s.keys); i += step {
		records = append(records, s.set(s.keys[i]))
	}
	return records
}

// ask is keys to look up, in an order of no kind: all that the state has, some of them
// twice, and a tenth as many that it has not.
func (s *state) ask() (keys [][]byte) {
	keys = append(keys, s.keys...)
	for range max(len(s.keys)/10, 3) {
		keys = append(keys, s.fresh())
	}
	if len(s.keys) > 0 {
		for range max(len(s.keys)/10, 1) {
			keys = append(keys, s.keys[s.rand.Uint64()%uint64(len(s.keys))])
		}
	}
	rand.New(s.rand).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// claim is what is true of a key.
func (s *state) claim(key []byte) adapter.Claim {
	value, present := s.values[string(key)]
	return adapter.Claim{Present: present, Value: value}
}
