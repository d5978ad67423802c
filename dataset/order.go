package dataset

import (
	"context"
	"fmt"
)

// Kinds of order, as NewOrder and the manifest name them.
const (
	// OrderRandom writes keys in no order of theirs.
	OrderRandom = "random"
	// OrderSequential writes keys in ascending order of their bytes.
	OrderSequential = "sequential"
)

// Order is the sequence in which a load writes the keys: a bijection from the
// positions 0..N-1 to the key numbers 0..N-1. It is safe for concurrent use.
type Order interface {
	// Kind is the name that NewOrder knows it by.
	Kind() string
	// Range calls yield with each position from <= pos < to, ascending, and the
	// number of the key that is written there, on the caller's goroutine and one
	// call at a time. It ends without an error when yield returns false, with
	// ctx's error soon after ctx is done, and before any call if the positions
	// are not all below N. A position has the same index in every call: a load
	// resumes at any position.
	//
	// A load calls it once and hands batches of positions to its workers. Where
	// keys have no cheap order (keccak, sequential) a call works in passes, each
	// of which computes all N keys and holds some 2^24 of them (0.3 GB);
	// beginning elsewhere than at 0 then costs one pass more.
	Range(ctx context.Context, from, to uint64, yield func(pos, index uint64) bool) error
}

// NewOrder returns the order of the given kind over all keys of ks. The seed
// chooses among random orders; the keys of a keccak key space are in no order
// to begin with, and their random order is that of their numbers, as the
// published tool has it.
func NewOrder(kind string, ks Keyspace, seed uint64) (Order, error) {
	if err := checkOrder(kind); err != nil {
		return nil, err
	}
	numbersSorted := ks.Kind() == KeyspaceStratified
	switch {
	case kind == OrderSequential && !numbersSorted:
		return newKeyOrder(ks), nil
	case kind == OrderRandom && numbersSorted:
		return &indexOrder{kind, ks.Len(), newPermutation(ks.Len(), newStream(seed, forOrder)).Of}, nil
	}
	return &indexOrder{kind, ks.Len(), func(pos uint64) uint64 { return pos }}, nil
}

// checkOrder says whether NewOrder would succeed.
func checkOrder(kind string) error {
	if kind != OrderRandom && kind != OrderSequential {
		return fmt.Errorf("unknown order %q: use %q or %q", kind, OrderRandom, OrderSequential)
	}
	return nil
}

// pollEvery is how many keys go by between two looks at a context.
const pollEvery = 1 << 12

// indexOrder is an order whose every position can be reached directly.
type indexOrder struct {
	kind  string
	n     uint64
	index func(pos uint64) uint64
}

func (o *indexOrder) Kind() string { return o.kind }

func (o *indexOrder) Range(ctx context.Context, from, to uint64, yield func(pos, index uint64) bool) error {
	if err := checkRange(from, to, o.n); err != nil {
		return err
	}
	for pos := from; pos < to; pos++ {
		if (pos-from)%pollEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !yield(pos, o.index(pos)) {
			return nil
		}
	}
	return nil
}

func checkRange(from, to, n uint64) error {
	if from > to || to > n {
		return fmt.Errorf("positions %d to %d are not within the order's 0 to %d: does the progress belong to this dataset?", from, to, n)
	}
	return nil
}
