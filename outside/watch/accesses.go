package watch

import (
	"fmt"

	"getio/outside/goprogram"
	"getio/outside/probe"
	"getio/record"
	"getio/tree/readpath"
)

// accessesOf returns the functions through which the libraries that a program is built with look
// blocks up in their block caches.
func accessesOf(p *goprogram.Program, libraries []*library) (all []probe.Access, err error) {
	for _, l := range libraries {
		found := p.Functions(func(name string) bool { return name == l.cached })
		if len(found) == 0 {
			return nil, fmt.Errorf("process %d has no %s, through which %s looks blocks up in its cache: omit --accesses", p.PID, l.cached, l.name)
		}
		for _, f := range found {
			offset, err := p.Entry(f)
			if err != nil {
				return nil, err
			}
			all = append(all, probe.Access{Offset: offset, BlockRegisters: l.block})
		}
	}
	return all, nil
}

// accesses are those of the block cache by Gets of one kind of keys.
type accesses struct {
	parts    readpath.PerComponent
	unmapped int64 // of tables without a map, and of offsets at which no block begins
}

func (a *accesses) merge(o *accesses) {
	a.parts = a.parts.Add(o.parts)
	a.unmapped += o.unmapped
}

// takeAccesses takes what the kernel has counted. Accesses whose database is not known yet wait.
func (w *Watch) takeAccesses() error {
	if !w.accesses {
		return nil
	}
	waiting := w.unplaced
	w.unplaced = nil
	for _, b := range waiting {
		w.takeAccess(b)
	}
	return w.probe.Accesses(w.takeAccess)
}

func (w *Watch) takeAccess(b probe.BlockAccesses) {
	if b.File == 0 {
		return // goleveldb's cache of open tables
	}
	if d := w.byAddress[b.DB]; d != nil {
		d.addAccesses(b)
	} else {
		w.unplaced = append(w.unplaced, b)
	}
}

// addAccesses counts accesses of a block by Gets.
func (d *database) addAccesses(b probe.BlockAccesses) {
	t := &d.tally(b.Class).accesses
	m, err := d.maps.Regions(b.File, d.process.outside(d.table(b.File)))
	if err != nil {
		t.unmapped += b.Accesses
		return
	}
	c, begins := m.At(b.Offset)
	if !begins {
		t.unmapped += b.Accesses
		return
	}
	t.parts[c] += b.Accesses
}

// describeAccesses returns the accesses of Gets with the reads that they made.
func (d *database) describeAccesses(t *tally) *record.WatchedCache {
	c := &record.WatchedCache{Unmapped: t.accesses.unmapped, Components: map[string]record.CacheAccesses{}}
	missed := d.missed(t)
	for _, component := range readpath.Components() {
		c.Components[component.String()] = record.NewCacheAccesses(t.accesses.parts[component], missed[component])
	}
	c.CacheAccesses = record.NewCacheAccesses(t.accesses.parts.Sum(), missed.Sum())
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
