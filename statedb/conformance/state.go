package conformance

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"

	"getio/statedb/adapter"
)

// state is what a store must hold: generated keys, each with its last value. All follow from
// the seed.
type state struct {
	rand       *rand.ChaCha8
	keys       [][]byte
	values     map[string][]byte
	keySize    int
	valueSizes []int
	written    int // number of values so far
}

// usualKey is the usual key size of state databases.
const usualKey = 32

func newState(c adapter.Configuration, seed uint64) *state {
	var s [32]byte
	binary.LittleEndian.PutUint64(s[:], seed)
	return &state{
		rand: rand.NewChaCha8(s), values: map[string][]byte{},
		keySize: min(max(usualKey, int(c.MinKey)), int(c.MaxKey)), valueSizes: valueSizes(c),
	}
}

// largestValue takes several pages in any store.
const largestValue = 20_000

// valueSizes are the sizes of the state's values, used in turn: all allowed sizes, or usual
// ones and the limits.
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

// room is the number of keys of this size, limited to more than any test asks for.
func (s *state) room() int {
	if s.keySize >= 4 {
		return 1 << 30
	}
	return 1 << (8*s.keySize - 1) // half of them stay absent
}

// bytes returns n random bytes.
func (s *state) bytes(n int) []byte {
	b := make([]byte, n)
	s.rand.Read(b) // never fails
	return b
}

// fresh returns a key that the state does not have.
func (s *state) fresh() []byte {
	for {
		key := s.bytes(s.keySize)
		if _, taken := s.values[string(key)]; !taken {
			return key
		}
	}
}

// add makes n more keys with values.
func (s *state) add(n int) (records []adapter.Record) {
	for range min(n, s.room()-len(s.keys)) {
		key := s.fresh()
		s.keys = append(s.keys, key)
		records = append(records, s.set(key))
	}
	return records
}

// set gives a key a new value.
func (s *state) set(key []byte) adapter.Record {
	value := s.bytes(s.valueSizes[s.written%len(s.valueSizes)])
	s.written++
	if len(value) > 0 {
		value[0] |= 1 // some stores take all-zero values for absent ones
	}
	s.values[string(key)] = value
	return adapter.Record{Key: key, Value: value}
}

// update gives every step-th key a new value.
func (s *state) update(step int) (records []adapter.Record) {
	for i := 0; i < len(s.keys); i += step {
		records = append(records, s.set(s.keys[i]))
	}
	return records
}

// ask returns keys to look up in random order: all keys of the state, some of them twice,
// and a tenth as many absent ones.
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

// clone returns a state with the same values. Values are never changed in place.
func (s *state) clone() *state {
	c := *s
	c.keys, c.values = slices.Clone(s.keys), maps.Clone(s.values)
	return &c
}

// claim returns the truth about a key.
func (s *state) claim(key []byte) adapter.Claim {
	value, present := s.values[string(key)]
	return adapter.Claim{Present: present, Value: value}
}
