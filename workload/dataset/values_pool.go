package dataset

import (
	"bytes"
	"slices"
)

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
