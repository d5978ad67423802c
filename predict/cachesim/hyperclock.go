package cachesim

import "math/bits"

// HyperClock is RocksDB 7.8 with its HyperClock cache (cache/clock_cache.cc). A shard is a hash table
// of a fixed number of slots, which a clock hand goes round. An entry has a countdown, which each hit
// increases and the hand decreases; at 0, the hand evicts the entry. What a Get holds is passed over.
//
// Which slot an entry takes depends on the session that wrote its table. Here it is random, so
// simulation and library evict in different orders.
type HyperClock struct {
	// EntryCharge is the mean charge of an entry, in bytes, that the number of slots is chosen for.
	EntryCharge int64
	Placement   uint64 // as in RocksDB
}

func (HyperClock) Policy() string { return "hyper-clock" }

// Shards implements Library: one for each 32 MiB, 64 at most, and a power of two.
func (HyperClock) Shards(cacheBytes int64, _ int) int { return rocksDBShards(cacheBytes, 32<<20) }

// Charge implements Library: the memory for a block, without an entry of its own in the cache.
func (HyperClock) Charge(b Block) uint32 { return RocksDB{}.Charge(b) - rocksDBHandle }

func (h HyperClock) ShardOf(b Block, shards int) int {
	b.Hash = 0 // that of an LRU cache
	return RocksDB{Placement: h.Placement}.ShardOf(b, shards)
}

// New implements Library. Reserved bytes are those of blocks that tables pin.
func (h HyperClock) New(bytes, reserved int64, shards int) (Cache, error) {
	return newRocksDBCache(h, bytes, reserved, shards, func(capacity, reserved int64) rocksDBShard {
		return newHyperClockShard(capacity, reserved, h.EntryCharge)
	})
}

const (
	clockSlotBytes  = 64 // of the cache, taken by each slot
	clockLoad       = 0.7
	clockStrictLoad = 0.84
	clockStep       = 4 // slots that the hand passes at a time
	// Countdowns: at most, and of new entries.
	clockMost   = 3
	clockUpper  = 3
	clockLower  = 2
	clockExtra  = 1024 // over its capacity, the cache evicts a share of it more
	clockRounds = clockMost
)

// hyperClockShard is a shard of HyperClock.
type hyperClockShard struct {
	where    blockMap // of the slots
	slots    []clockSlot
	occupied int
	limit    int // of occupied slots
	used     int64
	capacity int64
	hand     uint64
}

type clockSlot struct {
	block     uint64
	charge    uint32
	countdown uint8
	holders   uint8
	taken     bool
}

func newHyperClockShard(capacity, reserved, entryCharge int64) *hyperClockShard {
	needed := uint64(float64(capacity)/(float64(entryCharge)*clockLoad+clockSlotBytes) + 0.999999)
	log := min(bits.Len64(2*needed-1)-1, 32)
	for log > 0 && clockSlotBytes<<log > capacity {
		log--
	}
	n := 1 << log
	return &hyperClockShard{
		where: newBlockMap(), slots: make([]clockSlot, n), limit: int(float64(n) * clockStrictLoad),
		used: int64(n)*clockSlotBytes + reserved, capacity: capacity,
	}
}

func (s *hyperClockShard) take(block uint64, charge uint32, upper bool) (slot uint32, hit bool) {
	if at := s.where.find(block); at != nil32 {
		e := &s.slots[at]
		e.countdown = min(e.countdown+1, clockMost)
		e.holders++
		return at, true
	}
	full := s.occupied >= s.limit
	if need := s.needed(int64(charge), full); need > 0 && s.evict(need) == 0 && full {
		return nil32, false // the Get holds it beside the table
	}
	s.used += int64(charge)
	at := s.freeSlot(block)
	e := clockSlot{block: block, charge: charge, countdown: clockLower, holders: 1, taken: true}
	if upper {
		e.countdown = clockUpper
	}
	s.slots[at] = e
	s.occupied++
	s.where.put(block, at)
	return at, false
}

// needed returns the bytes to evict before an entry is added.
func (s *hyperClockShard) needed(charge int64, full bool) (bytes int64) {
	if s.used+charge > s.capacity && charge <= s.used {
		bytes = charge
		if s.used > s.capacity {
			bytes += min(s.capacity/clockExtra, charge) + 1
		}
	}
	if full && bytes == 0 {
		return 1
	}
	return bytes
}

// evict moves the hand until the given number of bytes is evicted, and returns the number of evicted entries.
func (s *hyperClockShard) evict(bytes int64) (evicted int) {
	most := s.hand + clockRounds*uint64(len(s.slots))
	for {
		from := s.hand
		s.hand += clockStep
		for i := range uint64(clockStep) {
			at := (from + i) % uint64(len(s.slots))
			e := &s.slots[at]
			switch {
			case !e.taken || e.holders > 0:
			case e.countdown > 0:
				e.countdown--
			default:
				s.where.remove(e.block)
				s.occupied--
				s.used -= int64(e.charge)
				bytes -= int64(e.charge)
				*e = clockSlot{}
				evicted++
			}
		}
		if bytes <= 0 || from >= most {
			return evicted
		}
	}
}

// freeSlot returns the slot for a new entry, by double hashing.
func (s *hyperClockShard) freeSlot(block uint64) uint32 {
	hash := hashV1(block, 0)
	mask := uint32(len(s.slots) - 1)
	at, step := uint32(hash)&mask, uint32(hash>>32)|1
	for s.slots[at].taken {
		at = (at + step) & mask
	}
	return at
}

func (s *hyperClockShard) release(slot uint32, _ bool) {
	if slot != nil32 {
		s.slots[slot].holders--
	}
}
