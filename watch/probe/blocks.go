package probe

import (
	"errors"

	"github.com/cilium/ebpf"
)

// blocks are two maps that count the accesses of blocks: one that the programs write to, and one
// that was taken from them to be read.
type blocks struct {
	accesses *ebpf.Map // holds the one that is written to
	each     [2]*ebpf.Map
	written  int // of each
}

const (
	maxBlocks  = 1 << 18 // they are taken several times a second
	blockBatch = 1 << 12
)

func newBlocks() (*blocks, error) {
	spec := &ebpf.MapSpec{Name: "getio_blocks", Type: ebpf.Hash, KeySize: 8 * blockWords, ValueSize: 8, MaxEntries: maxBlocks}
	b := &blocks{}
	var errs [3]error
	for i := range b.each {
		b.each[i], errs[i] = ebpf.NewMap(spec)
	}
	b.accesses, errs[2] = ebpf.NewMap(&ebpf.MapSpec{
		Name: "getio_accesses", Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: 1, InnerMap: spec,
	})
	err := errors.Join(errs[:]...)
	if err == nil {
		err = b.accesses.Put(uint32(0), b.each[0])
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *blocks) close() {
	for _, m := range []*ebpf.Map{b.each[0], b.each[1], b.accesses} {
		if m != nil {
			m.Close()
		}
	}
}

// BlockAccesses is how often Gets of keys of a class have looked a block up.
type BlockAccesses struct {
	Get      // without a number
	File     uint64
	Offset   int64
	Accesses int64
}

// Accesses calls yield with the accesses since the last call. The Target must ask for them.
func (b *blocks) Accesses(yield func(BlockAccesses)) error {
	taken := b.each[b.written]
	b.written = 1 - b.written
	// The kernel returns when no program uses the map any more that was written to.
	if err := b.accesses.Put(uint32(0), b.each[b.written]); err != nil {
		return err
	}
	keys, values := make([][blockWords]uint64, blockBatch), make([]uint64, blockBatch)
	var cursor ebpf.MapBatchCursor
	for {
		n, err := taken.BatchLookupAndDelete(&cursor, keys, values, nil)
		for i := range n {
			k := &keys[i]
			yield(BlockAccesses{
				Get:  Get{DB: k[0], Class: uint32(k[1]), Entry: uint32(k[1] >> 32)},
				File: k[2], Offset: int64(k[3]), Accesses: int64(values[i]),
			})
		}
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return nil
		case err != nil:
			return err
		}
	}
}
