package catalog

import (
	"errors"
	"fmt"
	"sort"
)

var errChanged = errors.New("its index has changed since it was inspected: the database was changed meanwhile, run the command again")

// BlockList finds the data blocks of a table, whose index may be divided into several
// blocks. E is what the reader takes from an index entry.
type BlockList[E any] struct {
	read func(f File, i int) ([]E, error) // index block i
	upTo []uint64                         // upTo[i] data blocks are named by index blocks 0 to i
	all  []E                              // of all data blocks, if they are kept
}

// NewBlockList reads the given number of index blocks.
func NewBlockList[E any](f File, indexBlocks int, keep bool, read func(f File, i int) ([]E, error)) (*BlockList[E], error) {
	l := &BlockList[E]{read: read}
	for i := range indexBlocks {
		list, err := read(f, i)
		if err != nil {
			return nil, err
		}
		l.upTo = appendSum(l.upTo, uint64(len(list)))
		if keep {
			l.all = append(l.all, list...)
		}
	}
	return l, nil
}

// Len is the number of data blocks.
func (l *BlockList[E]) Len() uint64 {
	if len(l.upTo) == 0 {
		return 0
	}
	return l.upTo[len(l.upTo)-1]
}

// Parts implements Index.
func (l *BlockList[E]) Parts() []uint64 { return l.upTo }

// At returns the index entry of data block n.
func (l *BlockList[E]) At(f File, n uint64) (entry E, err error) {
	if n >= l.Len() {
		return entry, fmt.Errorf("its index lists %d data blocks, but its properties state more", l.Len())
	}
	if l.all != nil {
		return l.all[n], nil
	}
	i := sort.Search(len(l.upTo), func(i int) bool { return l.upTo[i] > n })
	list, err := l.read(f, i)
	if err != nil {
		return entry, err
	}
	at := int(n) - int(l.upTo[i]) + len(list)
	if at < 0 || at >= len(list) {
		return entry, errChanged
	}
	return list[at], nil
}
