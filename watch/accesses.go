package watch

import (
	"fmt"

	"getio/engine/readpath"
	"getio/record"
	"getio/watch/goprogram"
	"getio/watch/probe"
)

// accessesOf returns the functions through which the libraries that a program is built with look
// blocks up in their block caches.
func accessesOf(p *goprogram.Program, libraries []*library) (all []probe.Access, err error) {
	for _, l := range libraries {
		found, err := p.Entries(l.isCached)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("process %d has no %s, through which %s looks blocks up in its cache: omit --accesses", p.PID, l.cached, l.name)
		}
		for _, f := range found {
			all = append(all, probe.Access{Offset: f.Offset, BlockRegisters: l.block})
		}
	}
	return all, nil
}

// block identifies a block that Gets of keys of a class have looked up.
type block struct {
	get    probe.Get // without a number
	file   uint64
	offset int64
}

// waitingAccesses are those that no database was given yet; nil if accesses are not counted.
type waitingAccesses map[block]int64

// take takes what the kernel has counted.
func (w waitingAccesses) take(p *probe.Probe) error {
	if w == nil {
		return nil
	}
	return p.Accesses(func(b probe.BlockAccesses) {
		if b.File == 0 {
			return // goleveldb's cache of open tables
		}
		w[block{b.Get, b.File, b.Offset}] += b.Accesses
	})
}

// place counts the accesses of the databases that are known.
func (w waitingAccesses) place(of func(probe.Get) *database) {
	owners := map[probe.Get]*database{}
	for b, n := range w {
		d, known := owners[b.get]
		if !known {
			d = of(b.get)
			owners[b.get] = d
		}
		if d != nil {
			d.addAccesses(b, n)
			delete(w, b)
		}
	}
}

func (d *database) addAccesses(b block, n int64) {
	t := d.tally(b.get.Class)
	if m := d.tables.numbered(b.file); m != nil {
		if c, begins := m.At(b.offset); begins {
			t.accesses[c] += n
			return
		}
	}
	t.unmappedAccesses += n
}

// describeAccesses returns the accesses of Gets with the reads that they made.
func (d *database) describeAccesses(t *tally) *record.WatchedCache {
	c := &record.WatchedCache{Unmapped: t.unmappedAccesses, Components: map[string]record.CacheAccesses{}}
	missed := d.missed(t)
	for _, component := range t.accesses.Components() {
		c.Components[component.String()] = record.NewCacheAccesses(t.accesses[component], missed[component])
	}
	c.CacheAccesses = record.NewCacheAccesses(t.accesses.Sum(), missed.Sum())
	return c
}

// missed returns the reads of blocks that were not in the cache. Footers never are.
func (d *database) missed(t *tally) readpath.PerComponent {
	missed := t.parts.Count
	missed[readpath.TableOpen] -= t.parts.Footers
	if d.likely[0].opensPastCache {
		missed[readpath.TableOpen] = 0
	}
	return missed
}
