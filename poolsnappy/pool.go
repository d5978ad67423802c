package poolsnappy

import (
	"encoding/binary"
)

// Pool is what is known beforehand of a pool's values. It does not change.
type Pool struct {
	fast     bool       // the values allow the fast way
	grams    int        // positions of a value at which four bytes are all its own
	products [][]uint32 // hash products, by value and offset
	first    [tableSize + 1]uint16
	list     []valueGram // by slot
	holds    [1 << (holdsBits - 6)]uint64
}

// valueGram is four bytes of a value.
type valueGram struct {
	product uint32
	value   uint8
}

// holdsBits of a hash product tell most keys' bytes from the pool's.
const holdsBits = 18

// NewPool prepares a pool of values of equal size.
func NewPool(values [][]byte) *Pool {
	p := &Pool{}
	if len(values) == 0 || len(values) > maxPool || len(values[0]) < minValue || len(values[0]) > maxValue {
		return p
	}
	p.grams = len(values[0]) - gram + 1
	var bySlot [tableSize][]valueGram
	known := map[uint32]bool{}
	for v, value := range values {
		p.products = append(p.products, make([]uint32, p.grams))
		for offset := range p.grams {
			product := binary.LittleEndian.Uint32(value[offset:]) * hashFactor
			if known[product] {
				return p // the fast way takes a value's bytes to be its own
			}
			known[product] = true
			p.products[v][offset] = product
			slot, _ := place(product)
			bySlot[slot] = append(bySlot[slot], valueGram{product, uint8(v)})
			bit := product >> (32 - holdsBits)
			p.holds[bit/64] |= 1 << (bit % 64)
		}
	}
	for slot, grams := range bySlot {
		p.list = append(p.list, grams...)
		p.first[slot+1] = uint16(len(p.list))
	}
	p.fast = true
	return p
}

// mayHold is false for a product of bytes that no value has.
func (p *Pool) mayHold(product uint32) bool {
	bit := product >> (32 - holdsBits)
	return p.holds[bit/64]>>(bit%64)&1 != 0
}

// at lists the values' bytes that share the product's slot.
func (p *Pool) at(product uint32) []valueGram {
	slot, _ := place(product)
	return p.list[p.first[slot]:p.first[slot+1]]
}

// path is the encoder's way through a value in which it finds nothing.
type path struct {
	// entries are, by value, what it enters: a hash product in the upper half,
	// and in the lower the table's entry but for the value's start.
	entries [][]uint64
	next    int // the first offset behind them
	skip    int // its skip there
}

const (
	maxPathOffset = 8
	maxPathSkip   = 512
)

// path works out the way that begins at the given offset with the given skip.
func (p *Pool) path(offset, skip int) path {
	way := path{entries: make([][]uint64, maxPool)}
	for offset < p.grams {
		for v, products := range p.products {
			_, rest := place(products[offset])
			way.entries[v] = append(way.entries[v], uint64(products[offset])<<32|uint64(rest)|uint64(offset))
		}
		step := skip >> 5
		offset, skip = offset+step, skip+step
	}
	way.next, way.skip = offset, skip
	return way
}
