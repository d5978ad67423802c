package lsm

import (
	"math"
	"slices"
)

// BlockKinds groups data blocks by their records, in powers of two, and by the bytes that a cache
// charges for them. LevelDB uses the memory of its largest blocks again for smaller ones, so charges
// are told apart more finely.
type BlockKinds struct {
	kinds           map[blockKind]*blockSum
	blocks, records float64
	rawBytes        float64
}

type blockKind struct{ records, charge int }

type blockSum struct{ blocks, records, bytes float64 }

// Add adds a data block that has bytes uncompressed, of which rawBytes are keys, with their
// trailers, and values.
func (k *BlockKinds) Add(records, rawBytes, bytes, charge int64) {
	if k.kinds == nil {
		k.kinds = map[blockKind]*blockSum{}
	}
	const chargesPerDoubling = 8
	log := func(n int64, perDoubling float64) int {
		return int(math.Round(perDoubling * math.Log2(float64(max(n, 1)))))
	}
	kind := blockKind{log(records, 1), log(charge, chargesPerDoubling)}
	sum := k.kinds[kind]
	if sum == nil {
		sum = &blockSum{}
		k.kinds[kind] = sum
	}
	sum.blocks++
	sum.records += float64(records)
	sum.bytes += float64(bytes)
	k.blocks++
	k.records += float64(records)
	k.rawBytes += float64(rawBytes)
}

// Describe sets the kinds of a table's blocks and, if they are unknown, its records and raw bytes. A nil
// BlockKinds changes nothing.
func (k *BlockKinds) Describe(t *Table) {
	if k == nil || k.blocks == 0 {
		return
	}
	if t.Records == 0 {
		each := float64(t.DataBlocks) / k.blocks
		t.Records = max(int64(math.Round(each*k.records)), t.DataBlocks)
		t.RawBytes = int64(math.Round(each * k.rawBytes))
	}
	t.BlockKinds = nil
	for _, kind := range k.sorted() {
		sum := k.kinds[kind]
		t.BlockKinds = append(t.BlockKinds, Segment{Records: sum.records / k.records, Blocks: sum.blocks / k.blocks, BlockBytes: sum.bytes / sum.blocks})
	}
}

func (k *BlockKinds) sorted() (list []blockKind) {
	for kind := range k.kinds {
		list = append(list, kind)
	}
	slices.SortFunc(list, func(a, b blockKind) int {
		if a.records != b.records {
			return a.records - b.records
		}
		return a.charge - b.charge
	})
	return list
}
