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
	rounds uint64
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

func (*pool) Kind() string { return ValuesPool32 }
func (p *pool) Size() int  { return len(p.values[0]) }

func (p *pool) Value(i uint64, dst []byte) []byte {
	return p.Updated(i, 0, dst)
}

func (p *pool) Updated(i, round uint64, dst []byte) []byte {
	return append(dst[:0], p.at(i, round)...)
}

func (p *pool) Check(i uint64, value []byte) bool {
	// Values repeat from round 32 on.
	for round := range min(p.rounds, poolSize-1) + 1 {
		if bytes.Equal(value, p.at(i, round)) {
			return true
		}
	}
	return false
}

func (p *pool) WithUpdates(rounds uint64) Values {
	updated := *p
	updated.rounds = rounds
	return &updated
}

func (p *pool) Members() [][]byte   { return p.values }
func (p *pool) Choice(i uint64) int { return int(p.choice.word(i) % poolSize) }

func (p *pool) at(i, round uint64) []byte {
	return p.values[(p.choice.word(i)+round)%poolSize]
}
