package counter

import (
	"errors"
	"fmt"
	"math"

	"getio/predict/cachesim"
	"getio/system/cgroup"
	"getio/system/loopdisk"
	"getio/system/machine"
	"getio/system/pagecache"
)

// Reads is the cost of lookups.
type Reads struct{ Lookups, Reads, Bytes int64 }

func (r Reads) Add(q Reads) Reads {
	return Reads{r.Lookups + q.Lookups, r.Reads + q.Reads, r.Bytes + q.Bytes}
}

func (r Reads) PerLookup() float64 { return float64(r.Reads) / float64(max(r.Lookups, 1)) }

// Simulate returns the reads of the same lookups with this page cache. The first warmup lookups fill it
// and are not counted. Adjacent pages that miss within a request count as one read.
func (p *Cold) Simulate(cache cachesim.Policy, warmup int) Reads {
	names := cachesim.Numbers{}
	var filling, counted Reads
	into := &filling
	from := 0
	for i, end := range p.ends {
		if i == warmup {
			into = &counted
		}
		into.Lookups++
		for _, r := range p.pages[from:end] {
			into.read(cache, names, r)
		}
		from = end
	}
	return counted
}

// read passes a run of pages through the cache and adds what it does not hold.
func (r *Reads) read(cache cachesim.Policy, names cachesim.Numbers, pages pagecache.Extent) {
	reading := false
	for page := pages.First; page < pages.First+pages.Pages; page++ {
		if cache.Access(names.Of(pages.Inode, page), loopdisk.Block) {
			reading = false
			continue
		}
		if !reading {
			r.Reads++
		}
		reading = true
		r.Bytes += loopdisk.Block
	}
}

// LeastLimit is the smallest page cache, in bytes, that the kernel keeps to. It accounts memory in portions, and kills a
// process that has no room left.
const LeastLimit = 8 << 20

// Filling is the number of lookups that fill a share of pages, if each touches at least one page that is as likely as any
// other: of n pages, x n lookups touch n (1 - exp(-x)) different ones. 95% count as all pages: the last ones would take
// too many lookups.
func Filling(pages, share float64) float64 { return -math.Log1p(-min(share, 0.95)) * pages }

// adjustEvery is the number of lookups between adjustments of the memory limit.
const adjustEvery = 256

// Within makes lookups, do(0) to do(n-1), with the kernel's page cache limited to a budget
// and empty at first. The first warmup lookups fill it and are not counted.
//
// The kernel accounts memory in portions of up to 256 KiB per processor, so a budget of a
// few MiB is only approximate.
func (c *Counter) Within(budget int64, n, warmup int, do func(i int) error) (k Kernel, err error) {
	limit, err := c.Limit(budget)
	if err != nil {
		return k, err
	}
	defer func() { err = errors.Join(err, limit.Lift()) }()
	reclaimed, err := machine.Reclaimed()
	if err != nil {
		return k, err
	}
	var before Count
	for i := range n {
		if i%adjustEvery == 0 {
			if err := limit.Adjust(); err != nil {
				return k, err
			}
		}
		if i == warmup {
			if before, err = c.Count(); err != nil {
				return k, err
			}
		}
		if err := do(i); err != nil {
			return k, err
		}
	}
	after, err := c.Count()
	if err != nil {
		return k, err
	}
	counted := after.Sub(before)
	if check := counted.Check(); !check.OK {
		return k, fmt.Errorf("reads with a page cache of %d bytes do not add up: %s", budget, check.Detail)
	}
	k.Reads = Reads{Lookups: int64(n - warmup), Reads: counted.Device.Reads, Bytes: counted.Device.Bytes}
	k.Active = limit.begun.ActiveFiles
	now, err := machine.Reclaimed()
	k.Reclaimed = now - reclaimed
	return k, err
}

// Kernel is what lookups read with the kernel's own page cache.
type Kernel struct {
	Reads Reads
	// Active is the size of other files' pages that the group had in the kernel's active list at first, beside the
	// budget, in bytes. On it depends how the kernel caches pages whose accesses it ignores (cachesim.LinuxUnseen).
	Active int64
	// Reclaimed is what the kernel evicted meanwhile because the machine lacked memory, in bytes, from any group. A page
	// of the group that it evicts so becomes active when it is read again, as if it was used often.
	Reclaimed int64
}

// Limit is a limit of the page cache of the group's commands.
type Limit struct {
	counter *Counter
	bytes   int64
	begun   cgroup.Memory
	// Beside is the memory that the commands used at the last adjustment besides the page cache.
	Beside int64
}

// Limit empties the page cache, makes the kernel forget earlier evictions, and limits it to a number of bytes. Adjust must
// be called before the first lookup, and then every few hundred.
func (c *Counter) Limit(bytes int64) (*Limit, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	if err := c.files.ForgetEvictions(); err != nil {
		return nil, err
	}
	begun, err := c.group.Memory()
	return &Limit{counter: c, bytes: bytes, begun: begun}, err
}

// Adjust sets the limit of the group's memory to what it uses besides the page cache, plus the
// budget. On a private disk, that is what it used at first, plus the growth of its anonymous memory.
// In files of others, which may be a thousand times the budget, the kernel's tables of mapped pages
// count too: they take up to a five hundredth of a file that is mapped.
func (l *Limit) Adjust() error {
	now, err := l.counter.group.Memory()
	if err != nil {
		return err
	}
	l.Beside = l.begun.Used + now.Anonymous - l.begun.Anonymous
	if l.counter.disk == nil {
		l.Beside = now.Used - now.Files
	}
	return l.counter.group.Limit(l.Beside + l.bytes)
}

// Lift removes the limit.
func (l *Limit) Lift() error { return l.counter.group.Limit(cgroup.Unlimited) }
