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
	*blocks            // nil if accesses are not asked for
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
)

func (m *maps) create(t *Target) error {
	type creation struct {
		to   **ebpf.Map
		spec ebpf.MapSpec
	}
	all := []creation{
		{&m.counting, ebpf.MapSpec{Name: "getio_counting", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1}},
		{&m.counts, ebpf.MapSpec{Name: "getio_counts", Type: ebpf.PerCPUHash, KeySize: 16, ValueSize: 8, MaxEntries: maxClasses}},
		{&m.gets, ebpf.MapSpec{Name: "getio_gets", Type: ebpf.Hash, KeySize: 8, ValueSize: 24, MaxEntries: maxGoroutines}},
		{&m.process, ebpf.MapSpec{Name: "getio_process", Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1}},
		{&m.pending, ebpf.MapSpec{Name: "getio_pending", Type: ebpf.Hash, KeySize: 4, ValueSize: 16, MaxEntries: maxThreads}},
		{&m.stacks, ebpf.MapSpec{Name: "getio_stacks", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: pieceBytes, MaxEntries: 1}},
		{&m.counters, ebpf.MapSpec{Name: "getio_counters", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: uint32(counters)}},
		{&m.ring, ebpf.MapSpec{Name: "getio_reads", Type: ebpf.RingBuf, MaxEntries: ringBytes}},
	}
	if t.Keys {
		all = append(all, creation{&m.keys, ebpf.MapSpec{Name: "getio_keys", Type: ebpf.RingBuf, MaxEntries: keyRingBytes}})
	}
	if len(t.Seeks) > 0 {
		all = append(all, creation{&m.seeks, ebpf.MapSpec{Name: "getio_seeks", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: uint32(len(t.Seeks))}})
	}
	for _, create := range all {
		var err error
		if *create.to, err = ebpf.NewMap(&create.spec); err != nil {
			return err
		}
	}
	if len(t.Accesses) == 0 {
		return nil
	}
	var err error
	m.blocks, err = newBlocks()
	return err
}

func (m *maps) close() {
	if m.blocks != nil {
		m.blocks.close()
	}
	for _, each := range []*ebpf.Map{m.counting, m.counts, m.gets, m.process, m.pending, m.stacks, m.counters, m.seeks, m.ring, m.keys} {
		if each != nil {
			each.Close()
		}
	}
}

// forget removes the last Gets of all goroutines and the reads under way of all threads: those of an
// earlier time attached say nothing of the reads to come.
func (m *maps) forget() error {
	var goroutine uint64
	var thread uint32
	return errors.Join(empty(m.gets, &goroutine), empty(m.pending, &thread))
}

// empty removes all keys of a map.
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
		all = append(all, Count{Get{DB: key[0], Class: uint32(key[1]), Entry: uint32(key[1] >> 32)}, sum(perCPU)})
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

// Seeks returns the calls so far of a group of functions.
func (m *maps) Seeks(group int) (uint64, error) {
	values := make([]uint64, group+1)
	err := sums(m.seeks, values)
	return values[group], err
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
