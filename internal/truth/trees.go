package truth

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"math/rand/v2"
)

// Kind is a kind of operation.
type Kind byte

// The kinds of operations.
const (
	Set Kind = iota
	Delete
	SingleDelete
	Merge
	DeleteRange // from Key up to, but not including, Value
	Snapshot    // keeps what is there until the end
	Flush       // writes the memtable to a table of L0
	Compact     // compacts the whole database
	Pause       // ends automatic compactions
)

// Operation is one operation on a database.
type Operation struct {
	Kind       Kind
	Key, Value []byte
}

// Tree is a database as people have it, by the operations that make it. The same operations come from every call.
type Tree struct {
	Name       string
	What       string // for readers of the table
	Needs      []Kind // without these it would be another tree
	Operations iter.Seq[Operation]
	// Caches are sizes of block caches to read it with.
	Caches []int64
	// Unread: no Get reads a table, since the log holds every key.
	Unread bool
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// caches are a small cache and one that holds part of the data. Pebble reserves 256 KiB of each for a memtable.
var caches = []int64{512 * kib, 2 * mib}

// Trees returns trees of about n keys.
func Trees(n int) []Tree {
	return []Tree{
		{Name: "written-once", What: "random keys, each written once", Operations: ofKeys(n, nil)},
		{Name: "overwritten", What: "3 overwrites per key, skewed", Operations: ofKeys(n, overwritten)},
		{Name: "deleted", What: "40% of the keys deleted", Operations: ofKeys(n, deleted)},
		{Name: "range-deletions", What: "ranges deleted and written again", Needs: []Kind{DeleteRange}, Operations: ofKeys(n, rangeDeletions)},
		{Name: "merges", What: "merge operands and single deletes", Needs: []Kind{Merge, SingleDelete}, Operations: ofKeys(n, merges)},
		{Name: "snapshots", What: "old versions that a snapshot kept", Needs: []Kind{Snapshot}, Operations: snapshots(n)},
		{Name: "clustered", What: "prefixes, keys of 7 to 65 bytes", Operations: clustered(n)},
		{Name: "blocks", What: "keys of block numbers, in order", Operations: blocks(n)},
		{Name: "values", What: "values of 0 B to 10 MB", Operations: values(n), Caches: []int64{768 * kib, 8 * mib}},
		{Name: "level-0", What: "L0 only, a tenth overwritten", Operations: level0(n)},
		{Name: "compacting", What: "stopped while compactions were due", Operations: ofKeys(n, compacting)},
		{Name: "log-and-tables", What: "keys overwritten and deleted in the log", Operations: ofKeys(n, inLog)},
		{Name: "log", What: "write-ahead log only", Operations: log(n), Unread: true},
	}
}

// CachesOf returns the sizes of caches to read the tree with.
func (t *Tree) CachesOf() []int64 {
	if t.Caches != nil {
		return t.Caches
	}
	return caches
}

// writer yields operations. After the consumer has stopped, it yields nothing more.
type writer struct {
	*rand.Rand
	yield   func(Operation) bool
	stopped bool
}

func operations(write func(w *writer)) iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		write(&writer{Rand: rand.New(rand.NewPCG(7, 11)), yield: yield})
	}
}

func (w *writer) do(kind Kind, key, value []byte) {
	if !w.stopped {
		w.stopped = !w.yield(Operation{kind, key, value})
	}
}

// value returns n bytes of which half repeat, as compressible as many values are.
func (w *writer) value(n int) []byte {
	v := make([]byte, n)
	for i := 0; i < n/2; i += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], w.Uint64())
		copy(v[i:n/2], word[:])
	}
	return v
}

func (w *writer) set(key []byte) { w.do(Set, key, w.value(100)) }
func (w *writer) flush()         { w.do(Flush, nil, nil) }

// hashed returns a random key, the same for each i.
func hashed(i int) []byte {
	sum := sha256.Sum256(number(i))
	return sum[:]
}

func number(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

// ofKeys writes n keys once, flushes them, and then does more.
func ofKeys(n int, more func(w *writer, n int)) iter.Seq[Operation] {
	return operations(func(w *writer) {
		for i := range n {
			w.set(hashed(i))
		}
		w.flush()
		if more != nil {
			more(w, n)
		}
	})
}

// overwritten overwrites a few keys very often, and many seldom or never.
func overwritten(w *writer, n int) {
	for range 3 * n {
		w.set(hashed(int(float64(n) * w.Float64() * w.Float64() * w.Float64())))
	}
	w.flush()
}

func deleted(w *writer, n int) {
	for i := range n {
		if w.IntN(10) < 4 {
			w.do(Delete, hashed(i), nil)
		}
	}
	w.flush()
}

// rangeDeletions deletes ranges of a ten thousandth of the keys each, and writes as many keys anew.
func rangeDeletions(w *writer, n int) {
	for i := range 3000 {
		from := hashed(1<<40 + i)
		head := binary.BigEndian.Uint32(from)
		const width = 1 << 32 / 10_000
		if head > 1<<32-1-width {
			continue
		}
		w.do(DeleteRange, from, binary.BigEndian.AppendUint32(nil, head+width))
		for range n / 6000 {
			w.set(hashed(w.IntN(n)))
		}
	}
	w.flush()
}

func merges(w *writer, n int) {
	for i := range n {
		key := hashed(i)
		switch w.IntN(6) {
		case 0:
			w.do(SingleDelete, key, nil)
		case 1:
			w.do(Merge, key, w.value(30))
		case 2:
			w.do(Merge, key, w.value(30))
			w.do(Merge, key, w.value(30))
		}
	}
	w.flush()
}

func snapshots(n int) iter.Seq[Operation] {
	return operations(func(w *writer) {
		w.do(Pause, nil, nil)
		for i := range n {
			w.set(hashed(i))
		}
		for range 2 {
			w.do(Snapshot, nil, nil)
			for i := range n {
				switch w.IntN(10) {
				case 0, 1, 2, 3, 4:
					w.set(hashed(i))
				case 5:
					w.do(Delete, hashed(i), nil)
				}
			}
		}
		w.flush()
		w.do(Compact, nil, nil)
	})
}

// clustered writes keys like those of a node's database: accounts, slots of a few large and many small contracts,
// headers, and hashes of blocks.
func clustered(n int) iter.Seq[Operation] {
	return operations(func(w *writer) {
		for i, written := 0, 0; written < n; i++ {
			account := hashed(i)
			put := func(prefix byte, size int, parts ...[]byte) {
				key := []byte{prefix}
				for _, p := range parts {
					key = append(key, p...)
				}
				w.do(Set, key, w.value(size))
				written++
			}
			put('a', 40+w.IntN(40), account)
			if i%20 == 0 {
				slots := 1
				for w.IntN(10) < 9 && slots < n/30 {
					slots += 1 + slots/2
				}
				for j := range slots {
					put('o', 1+w.IntN(32), account, hashed(i*1_000_003+j+1<<40))
				}
			}
			if i%10 == 0 {
				put('h', 500+w.IntN(100), number(i), account)
				put('H', 8, account)
				put('l', 6, hashed(i+1<<41))
			}
		}
		w.flush()
	})
}

func blocks(n int) iter.Seq[Operation] {
	return operations(func(w *writer) {
		for i := range n {
			w.set(append([]byte("h"), number(i)...))
		}
		w.flush()
	})
}

// values writes values of up to 200 bytes, every two hundredth of up to 100 KB, and few of up to 10 MB.
func values(n int) iter.Seq[Operation] {
	return operations(func(w *writer) {
		for i := range n {
			size := w.IntN(200)
			switch {
			case i%(n/4) == n/8:
				size = 10_000_000 >> (i * 4 / n)
			case i%200 == 0:
				size = w.IntN(100_000)
			case i%10 == 0:
				size = 0
			}
			w.do(Set, hashed(i), w.value(size))
		}
		w.flush()
	})
}

func level0(n int) iter.Seq[Operation] {
	return operations(func(w *writer) {
		const tables = 9
		w.do(Pause, nil, nil)
		for i := range n {
			w.set(hashed(i))
			if i%(n/tables) == n/tables-1 {
				for range n / tables / 10 {
					w.set(hashed(w.IntN(i + 1)))
				}
				w.flush()
			}
		}
		w.flush()
	})
}

// compacting adds tables to L0 that nothing compacts.
func compacting(w *writer, n int) {
	w.do(Pause, nil, nil)
	for range 8 {
		for range n / 16 {
			w.set(hashed(w.IntN(n)))
		}
		w.flush()
	}
}

// inLog leaves a tenth of the keys overwritten and a thirtieth deleted in the log.
func inLog(w *writer, n int) {
	w.do(Pause, nil, nil)
	for i := range n / 10 {
		w.set(hashed(i * 10))
		if i%3 == 0 {
			w.do(Delete, hashed(i*10+1), nil)
		}
	}
}

func log(n int) iter.Seq[Operation] {
	return operations(func(w *writer) {
		for i := range n / 10 {
			w.set(hashed(i))
		}
	})
}
