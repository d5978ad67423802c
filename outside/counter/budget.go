package counter

import (
	"fmt"

	"getio/predict/cachesim"
	"getio/system/cgroup"
	"getio/system/loopdisk"
)

// Reads is what lookups cost.
type Reads struct{ Lookups, Reads, Bytes int64 }

// PerLookup is the mean number of reads.
func (r Reads) PerLookup() float64 { return float64(r.Reads) / float64(max(r.Lookups, 1)) }

// Simulate tells what the same lookups would read with a page cache of so many bytes that
// keeps the pages used last. The first ones fill it, and are not counted. Pages that miss
// and follow one another in a request are one read.
func (p *Cold) Simulate(budget int64, warmup int) Reads {
	cache := cachesim.NewLRU(budget)
	names := pageNames{}
	var total Reads
	from := 0
	for i, end := range p.ends {
		var one Reads
		for _, r := range p.pages[from:end] {
			one.add(missed(cache, names, r))
		}
		from = end
		if i >= warmup {
			one.Lookups = 1
			total.add(one)
		}
	}
	return total
}

func (r *Reads) add(q Reads) {
	r.Lookups += q.Lookups
	r.Reads += q.Reads
	r.Bytes += q.Bytes
}

// missed reads a run of pages through the cache.
func missed(cache *cachesim.LRU, names pageNames, r run) (read Reads) {
	reading := false
	for page := r.first; page < r.first+r.pages; page++ {
		if cache.Access(names.of(r.space, page), loopdisk.Block) {
			reading = false
			continue
		}
		if !reading {
			read.Reads++
		}
		reading = true
		read.Bytes += loopdisk.Block
	}
	return read
}

// pageNames number the pages of all spaces.
type pageNames map[[2]uint64]uint64

func (n pageNames) of(space uint64, page int64) uint64 {
	key := [2]uint64{space, uint64(page)}
	name, ok := n[key]
	if !ok {
		name = uint64(len(n))
		n[key] = name
	}
	return name
}

// adjustEvery is after how many lookups the limit follows what else the commands take.
const adjustEvery = 256

// Within makes lookups, do(0) to do(n-1), with the kernel's own page cache held to a
// budget, from an empty one. The first ones fill it, and are not counted.
//
// The group's memory is limited to what it takes beside the page cache, and the budget.
// The kernel accounts memory in portions of up to 256 KiB for each processor: budgets of
// a few MiB are held roughly.
func (c *Counter) Within(budget int64, n, warmup int, do func(i int) error) (read Reads, err error) {
	if err := c.begin(); err != nil {
		return read, err
	}
	begun, err := c.group.Memory()
	if err != nil {
		return read, err
	}
	defer func() {
		if end := c.group.Limit(cgroup.Unlimited); err == nil {
			err = end
		}
	}()
	var before Count
	for i := range n {
		if i%adjustEvery == 0 {
			if err := c.limit(budget, begun); err != nil {
				return read, err
			}
		}
		if i == warmup {
			if before, err = c.Count(); err != nil {
				return read, err
			}
		}
		if err := do(i); err != nil {
			return read, err
		}
	}
	after, err := c.Count()
	if err != nil {
		return read, err
	}
	counted := after.Sub(before)
	if check := counted.Check(); !check.OK {
		return read, fmt.Errorf("reads with a page cache of %d bytes do not add up: %s", budget, check.Detail)
	}
	return Reads{Lookups: int64(n - warmup), Reads: counted.Device.Reads, Bytes: counted.Device.Bytes}, nil
}

// limit bounds the group's memory to what it took beside the page cache at first, to what
// it takes more since that belongs to no file, and to the budget.
func (c *Counter) limit(budget int64, begun cgroup.Memory) error {
	now, err := c.group.Memory()
	if err != nil {
		return err
	}
	return c.group.Limit(begun.Used + now.Anonymous - begun.Anonymous + budget)
}
