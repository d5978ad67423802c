package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
)

// passKeys is the mean number of keys per pass of keyOrder. At 16 bytes each, 2^24 keys
// take 256 MiB.
const passKeys = 1 << 24

// keyOrder sorts the keys of a key space that is not sorted by number. It divides the
// space of the first 64 bits into equal parts and makes one pass per part: compute every
// key, keep those of the part, and sort them. Only the keys of one part are in memory;
// for uniform keys, parts have nearly the same size.
type keyOrder struct {
	keys   Keyspace
	passes uint64
}

func newKeyOrder(keys Keyspace) *keyOrder {
	return &keyOrder{keys: keys, passes: keys.Len()/passKeys + 1}
}

func (o *keyOrder) Range(ctx context.Context, from, to uint64, yield func(pos, index uint64) bool) error {
	if err := checkRange(from, to, o.keys.Len()); err != nil || from == to {
		return err
	}
	pass, pos, err := o.find(ctx, from)
	for ; err == nil && pos < to; pass++ {
		var part []keyRef
		if part, err = o.collect(ctx, pass); err != nil {
			return err
		}
		for n, ref := range part {
			if n%pollEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if pos >= from && (pos == to || !yield(pos, ref.index)) {
				return nil
			}
			pos++
		}
	}
	return err
}

// find returns the pass that holds position from, and that pass's first position.
func (o *keyOrder) find(ctx context.Context, from uint64) (pass, first uint64, err error) {
	if from == 0 {
		return 0, 0, nil
	}
	sizes, err := o.sizes(ctx)
	if err != nil {
		return 0, 0, err
	}
	for first+sizes[pass] <= from {
		first += sizes[pass]
		pass++
	}
	return pass, first, nil
}

func (o *keyOrder) sizes(ctx context.Context) ([]uint64, error) {
	total := make([]uint64, o.passes)
	counts, err := scan(ctx, o.keys, func(counts []uint64, index, prefix uint64) []uint64 {
		if counts == nil {
			counts = make([]uint64, o.passes)
		}
		counts[Bounded(prefix, o.passes)]++
		return counts
	})
	for _, worker := range counts {
		for pass, n := range worker {
			total[pass] += n
		}
	}
	return total, err
}

// keyRef is a key's first 64 bits and its number.
type keyRef struct{ prefix, index uint64 }

// collect returns the keys of one pass in ascending order.
func (o *keyOrder) collect(ctx context.Context, pass uint64) ([]keyRef, error) {
	found, err := scan(ctx, o.keys, func(part []keyRef, index, prefix uint64) []keyRef {
		if Bounded(prefix, o.passes) == pass {
			part = append(part, keyRef{prefix, index})
		}
		return part
	})
	if err != nil {
		return nil, err
	}
	part := slices.Concat(found...)
	slices.SortFunc(part, o.compare)
	return part, nil
}

// compare compares two keys. If their first 64 bits are equal (about ten pairs among 2e10
// keys), it compares all 32 bytes.
func (o *keyOrder) compare(a, b keyRef) int {
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	var x, y [KeySize]byte
	o.keys.Key(a.index, &x)
	o.keys.Key(b.index, &y)
	return bytes.Compare(x[:], y[:])
}

// scan folds all keys of a key space with add. It divides the key numbers into one share
// per processor and returns the results of the shares in order. Each starts from nil.
func scan[T any](ctx context.Context, keys Keyspace, add func(sum []T, index, prefix uint64) []T) ([][]T, error) {
	workers := uint64(runtime.GOMAXPROCS(0))
	sums := make([][]T, workers)
	var running sync.WaitGroup
	for w := range workers {
		from, to := share(keys.Len(), w, workers), share(keys.Len(), w+1, workers)
		running.Go(func() {
			sums[w] = scanShare(ctx, keys, from, to, add)
		})
	}
	running.Wait()
	return sums, ctx.Err()
}

// scanShare folds the keys from <= index < to. It returns nil early if ctx is done.
func scanShare[T any](ctx context.Context, keys Keyspace, from, to uint64, add func([]T, uint64, uint64) []T) (sum []T) {
	key := new([KeySize]byte)
	for index := from; index < to; index++ {
		if (index-from)%pollEvery == 0 && ctx.Err() != nil {
			return nil
		}
		keys.Key(index, key)
		sum = add(sum, index, binary.BigEndian.Uint64(key[:]))
	}
	return sum
}

// share returns the first of n numbers that belongs to worker w.
func share(n, w, workers uint64) uint64 {
	return n/workers*w + min(w, n%workers)
}
