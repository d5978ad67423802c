package statedb

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"getio/record"
	"getio/workload/dataset"
)

type kind struct {
	name   string
	absent bool
	proof  bool
}

var kinds = []kind{
	{name: record.LookupsOfExisting},
	{name: record.LookupsOfAbsent, absent: true},
	{name: record.LookupsWithProof, proof: true},
}

// lookups is a sequence of keys to look up. It follows from the seed and is the same for
// every store.
type lookups struct {
	*measurement
	kind
	numbers []uint64 // of the keys, existing or absent
	key     [dataset.KeySize]byte
	keys    [][]byte // holds only key
	value   []byte   // what the key must have
	proofs  int64    // in bytes
}

func (m *measurement) lookups(k kind, n int, seed uint64) *lookups {
	random := rand.New(rand.NewPCG(m.Seed, seed))
	l := &lookups{measurement: m, kind: k, numbers: make([]uint64, n)}
	for i := range l.numbers {
		if k.absent {
			l.numbers[i] = random.Uint64()
		} else {
			l.numbers[i] = random.Uint64N(m.Keys)
		}
	}
	l.keys = [][]byte{l.key[:]}
	return l
}

// do looks up one key and compares the answer with what was loaded.
func (l *lookups) do(i int) error {
	n := l.numbers[i]
	if l.absent {
		l.records.keys.Absent(n, &l.key)
	} else {
		l.records.keys.Key(n, &l.key)
	}
	answers, _, err := l.client.Get(l.keys, l.proof)
	if err != nil {
		return err
	}
	a := answers[0]
	l.proofs += int64(a.Proof)
	switch {
	case a.Found && l.absent:
		return fmt.Errorf("it returned a value for key %x, which was never loaded: its figures would mean nothing", l.key)
	case !a.Found && !l.absent:
		return fmt.Errorf("it did not find key %x, which was loaded: its figures would mean nothing", l.key)
	case a.Found && !bytes.Equal(a.Value, l.expected(n)):
		return fmt.Errorf("it returned another value for key %x than was loaded: its figures would mean nothing", l.key)
	case l.proof && a.Proof == 0:
		return fmt.Errorf("it returned no proof for key %x: its figures would mean nothing", l.key)
	}
	return nil
}

// expected is the value that key number n was given last. It is valid until the next call.
func (l *lookups) expected(n uint64) []byte {
	round := uint64(0)
	if l.records.overwritten.has(n) {
		round = 1
	}
	l.value = l.records.values.Updated(n, round, l.value)
	return l.value
}

// doing is do with progress and cancellation.
func (l *lookups) doing(phase string) func(i int) error {
	phase = l.phase + l.name + ", " + phase
	return func(i int) error {
		l.progress(phase, i+1, len(l.numbers), "lookups")
		if err := l.ctx.Err(); err != nil {
			return err
		}
		return l.do(i)
	}
}

func (l *lookups) all(phase string) error {
	do := l.doing(phase)
	for i := range l.numbers {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}
