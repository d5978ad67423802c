package dataset

import (
	"context"
	"fmt"
)

// Kinds of order in NewOrder and the manifest.
const (
	// OrderRandom writes keys in random order.
	OrderRandom = "random"
	// OrderSequential writes keys in ascending order of their bytes.
	OrderSequential = "sequential"
)

// Orders lists the kinds of order.
var Orders = []string{OrderRandom, OrderSequential}

// Order is the sequence in which a load writes the keys: a bijection from the
// positions 0..N-1 to the key numbers 0..N-1. It is safe for concurrent use.
type Order interface {
	// Range calls yield with each position from <= pos < to, in ascending order, and the
	// number of the key at that position. All calls are made on the caller's goroutine.
	// Range returns nil when yield returns false, ctx's error soon after ctx is done, and
	// an error without calling yield if a position is not below N. A position always has
	// the same key number, so a load can resume at any position.
	//
	// A load calls Range once and hands batches of positions to its workers. If sorting
	// the keys is expensive (keccak, sequential), a call works in passes. Each pass
	// computes all N keys and keeps about 2^24 of them (0.3 GB). Starting at a position
	// other than 0 then costs one more pass.
	Range(ctx context.Context, from, to uint64, yield func(pos, index uint64) bool) error
}

// NewOrder returns the order of the given kind over all keys of ks. The seed selects a
// random order. A keccak key space ignores it: its keys are random already, and its random
// order is by key number, as in the published tool.
func NewOrder(kind string, ks Keyspace, seed uint64) (Order, error) {
	if err := checkOrder(kind); err != nil {
		return nil, err
	}
	numbersSorted := ks.Kind() == KeyspaceStratified
	switch {
	case kind == OrderSequential && !numbersSorted:
		return newKeyOrder(ks), nil
	case kind == OrderRandom && numbersSorted:
		return &indexOrder{ks.Len(), newPermutation(ks.Len(), newStream(seed, forOrder)).Of}, nil
	}
	return &indexOrder{ks.Len(), func(pos uint64) uint64 { return pos }}, nil
}

// checkOrder returns the error that NewOrder would return.
func checkOrder(kind string) error {
	if kind != OrderRandom && kind != OrderSequential {
		return fmt.Errorf("unknown order %q: use %q or %q", kind, OrderRandom, OrderSequential)
	}
	return nil
}

// pollEvery is the number of keys between two checks of a context.
const pollEvery = 1 << 12

// indexOrder is an order that computes the key number of any position directly.
type indexOrder struct {
	n     uint64
	index func(pos uint64) uint64
}

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
