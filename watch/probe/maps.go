package probe

import (
	"errors"

	"github.com/cilium/ebpf"
)

// maps are shared by the programs and this process.
type maps struct {
	counting *ebpf.Map // one number: 1 while Gets count
	counts   *ebpf.Map // Gets by database and class
	gets     *ebpf.Map // the last Get of each goroutine
	process  *ebpf.Map // one number: the process's, outside of all namespaces; 0 until its first read, replaced after exec
	pending  *ebpf.Map // of each thread: when its read under way began, or 0, and the bytes it had read by then
	stacks   *ebpf.Map // of each processor: a piece of the stack that endedProgram walks
	counters *ebpf.Map
	seeks    *ebpf.Map // calls of each group of functions; nil without groups
	ring     *ebpf.Map
	keys     *ebpf.Map // ring of the keys of Gets; nil if they are not asked for
	accesses *ebpf.Map // holds the map of blocks that is written to; nil if accesses are not asked for
	// blocks count the accesses of blocks: one map that the programs write to, and one that was taken from them to be read.
	blocks  [2]*ebpf.Map
	written int // of blocks
	all     []*ebpf.Map
}

// counter is an index of the counters that the programs keep.
type counter uint32

const (
	finished     counter = iota // reads and prefetches that were finished
	dropped                     // of these, those that the maps or the ring buffer had no room for
	untracked                   // Gets that the maps had no room for
	keyless                     // Gets whose keys were not delivered
	lostAccesses                // of blocks that the map had no room for
	counters
)

const (
	ringBytes     = 16 << 20 // 80,000 reads; up to 25,000 are fetched at a time, forty times a second
	keyRingBytes  = 32 << 20 // 120,000 keys
	maxClasses    = 1 << 13  // pairs of a database and a class
	maxGoroutines = 1 << 17
	maxThreads    = 1 << 16 // that read; one that has ended keeps its place until Attach
	maxBlocks     = 1 << 18 // they are taken several times a second
)

func (m *maps) create(t *Target) error {
	accesses, seeks := len(t.Accesses) > 0, len(t.Seeks) > 0
	blocks := &ebpf.MapSpec{Name: "getio_blocks", Type: ebpf.Hash, KeySize: 8 * blockWords, ValueSize: 8, MaxEntries: maxBlocks}
	for _, each := range []struct {
		to     **ebpf.Map
		needed bool
		spec   *ebpf.MapSpec
	}{
		{&m.counting, true, &ebpf.MapSpec{Name: "getio_counting", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1}},
		{&m.counts, true, &ebpf.MapSpec{Name: "getio_counts", Type: ebpf.PerCPUHash, KeySize: 16, ValueSize: 8, MaxEntries: maxClasses}},
		{&m.gets, true, &ebpf.MapSpec{Name: "getio_gets", Type: ebpf.Hash, KeySize: 8, ValueSize: 24, MaxEntries: maxGoroutines}},
		{&m.process, true, &ebpf.MapSpec{Name: "getio_process", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1}},
		{&m.pending, true, &ebpf.MapSpec{Name: "getio_pending", Type: ebpf.Hash, KeySize: 4, ValueSize: 16, MaxEntries: maxThreads}},
		{&m.stacks, true, &ebpf.MapSpec{Name: "getio_stacks", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: pieceBytes, MaxEntries: 1}},
		{&m.counters, true, &ebpf.MapSpec{Name: "getio_counters", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: uint32(counters)}},
		{&m.seeks, seeks, &ebpf.MapSpec{Name: "getio_seeks", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: uint32(len(t.Seeks))}},
		{&m.ring, true, &ebpf.MapSpec{Name: "getio_reads", Type: ebpf.RingBuf, MaxEntries: ringBytes}},
		{&m.keys, t.Keys, &ebpf.MapSpec{Name: "getio_keys", Type: ebpf.RingBuf, MaxEntries: keyRingBytes}},
		{&m.blocks[0], accesses, blocks},
		{&m.blocks[1], accesses, blocks},
		{&m.accesses, accesses, &ebpf.MapSpec{Name: "getio_accesses", Type: ebpf.ArrayOfMaps, KeySize: 4, ValueSize: 4, MaxEntries: 1, InnerMap: blocks}},
	} {
		if !each.needed {
			continue
		}
		var err error
		if *each.to, err = ebpf.NewMap(each.spec); err != nil {
			return err
		}
		m.all = append(m.all, *each.to)
	}
	if !accesses {
		return nil
	}
	return m.accesses.Put(uint32(0), m.blocks[0])
}

// forget removes the last Gets of all goroutines and the reads under way of all threads: those of an
// earlier time attached say nothing of the reads to come.
func (m *maps) forget() error {
	var goroutine uint64
	var thread uint32
	return errors.Join(empty(m.gets, &goroutine), empty(m.pending, &thread))
}

func empty[K any](m *ebpf.Map, key *K) error {
	for {
		switch err := m.NextKey(nil, key); {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return nil
		case err != nil:
			return err
		}
		if err := m.Delete(key); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return err
		}
	}
}

// Count is how many Gets were made of keys of a class.
type Count struct {
	Get         // without a number
	Gets uint64 // so far
}

// Counts returns the Gets so far.
func (m *maps) Counts() (all []Count, err error) {
	var key [2]uint64
	var perCPU []uint64
	entries := m.counts.Iterate()
	for entries.Next(&key, &perCPU) {
		all = append(all, Count{getOf(key[0], key[1]), sum(perCPU)})
	}
	return all, entries.Err()
}

// Replaced reports whether the process has run another program (exec) since New. Nothing that this one does is
// counted or delivered.
func (m *maps) Replaced() (bool, error) {
	var process uint64
	err := m.process.Lookup(uint32(0), &process)
	return process == replaced, err
}

// Losses are what the kernel could not keep.
type Losses struct {
	Reads     uint64 // of Finished, not delivered
	Finished  uint64 // all reads and prefetches of files by the process
	Untracked uint64 // Gets that were not counted, or whose reads have no owner
	Keys      uint64 // of Gets that were counted, not delivered
	Accesses  uint64 // of blocks by Gets that were counted
}

// Losses returns what was lost so far.
func (m *maps) Losses() (Losses, error) {
	var values [counters]uint64
	if err := sums(m.counters, values[:]); err != nil {
		return Losses{}, err
	}
	return Losses{Reads: values[dropped], Finished: values[finished], Untracked: values[untracked], Keys: values[keyless], Accesses: values[lostAccesses]}, nil
}

// Seeks returns the calls so far of each group of functions.
func (m *maps) Seeks() ([]uint64, error) {
	values := make([]uint64, m.seeks.MaxEntries())
	return values, sums(m.seeks, values)
}

// sums reads the first numbers of an array, each the sum over the processors.
func sums(array *ebpf.Map, values []uint64) error {
	for i := range values {
		var perCPU []uint64
		if err := array.Lookup(uint32(i), &perCPU); err != nil {
			return err
		}
		values[i] = sum(perCPU)
	}
	return nil
}

func sum(values []uint64) (total uint64) {
	for _, v := range values {
		total += v
	}
	return total
}

// BlockAccesses is how often Gets of keys of a class have looked a block up.
type BlockAccesses struct {
	Get      // without a number
	File     uint64
	Offset   int64
	Accesses int64
}

// blockBatch is how many blocks are read at once.
const blockBatch = 1 << 12

// Accesses calls yield with the accesses since the last call. The Target must ask for them.
func (m *maps) Accesses(yield func(BlockAccesses)) error {
	taken := m.blocks[m.written]
	m.written = 1 - m.written
	// The kernel returns when no program uses the map any more that was written to.
	if err := m.accesses.Put(uint32(0), m.blocks[m.written]); err != nil {
		return err
	}
	keys, values := make([][blockWords]uint64, blockBatch), make([]uint64, blockBatch)
	var cursor ebpf.MapBatchCursor
	for {
		n, err := taken.BatchLookupAndDelete(&cursor, keys, values, nil)
		for i := range n {
			k := &keys[i]
			yield(BlockAccesses{Get: getOf(k[0], k[1]), File: k[2], Offset: int64(k[3]), Accesses: int64(values[i])})
		}
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return nil
		case err != nil:
			return err
		}
	}
}
