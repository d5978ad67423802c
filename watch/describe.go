package watch

import (
	"cmp"
	"slices"
	"time"

	"getio/client/chaindata"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/numbers/steady"
	"getio/record"
)

// describe returns what was counted so far.
func (w *Watch) describe() (*record.Watch, error) {
	losses, err := w.losses()
	if err != nil {
		return nil, err
	}
	r := &record.Watch{
		Schema: record.WatchSchema, Time: time.Now().UTC().Truncate(time.Second),
		Seconds: w.counted().Seconds(), Duty: w.duty(), Process: w.describeProcess(),
		Losses: losses, Environment: record.ThisMachine(), Files: w.describeFiles(), Device: w.describeDevice(),
	}
	for _, d := range w.databases {
		described := w.describeDatabase(d, r.Seconds)
		if described.Iterators, err = w.iterators.describe(d, w.databases, w.probe); err != nil {
			return nil, err
		}
		r.Databases = append(r.Databases, described)
	}
	if w.ended != 0 { // else some reads were not taken yet
		r.Checks = readpath.Checks{region.Equal("all_reads", "reads of all databases and files, lost and not counted", r.Accounted(), "reads of the process", losses.AllReads)}
	}
	r.Complete = r.FewLosses() && r.Checks.Hold()
	return r, nil
}

// duty is the share of the time in which Gets were counted; 0 stands for all of it.
func (w *Watch) duty() float64 {
	if !w.intermittent {
		return 0
	}
	return w.counted().Seconds() / (now() - w.started).Seconds()
}

func (w *Watch) describeProcess() record.WatchedProcess {
	p := record.WatchedProcess{PID: w.process.pid, Name: w.name, Ended: w.process.ended(), Replaced: w.replaced}
	b := w.program.Build
	p.Module, p.Version, p.Go = b.Main.Path, b.Main.Version, b.GoVersion
	return p
}

// describeFiles returns the reads of other files than tables, in the order of record.FileKinds.
func (w *Watch) describeFiles() (all []*record.WatchedFiles) {
	for _, kind := range record.FileKinds() {
		if v := w.files[kind]; v != nil {
			all = append(all, &record.WatchedFiles{Kind: kind, WatchedReads: v.describe()})
		}
	}
	return all
}

// describeDevice returns nil if the kernel did not say what the process has read.
func (w *Watch) describeDevice() *record.WatchedDevice {
	a := w.device // of now, and not the end
	if w.ended == 0 {
		a.end(w.process)
	}
	if a.unknown {
		return nil
	}
	d := &record.WatchedDevice{ProcessBytes: a.earlier}
	for _, each := range w.databases {
		for _, t := range each.gets {
			d.TableBytes += t.DeviceBytes
		}
		for _, p := range each.causes {
			d.TableBytes += p.DeviceBytes
		}
	}
	for _, v := range w.files {
		d.FileBytes += v.DeviceBytes
	}
	return d
}

func (w *Watch) describeDatabase(d *database, seconds float64) *record.WatchedDatabase {
	all := newTally()
	for _, t := range d.gets {
		all.merge(t)
	}
	library, version := w.libraryOf(d)
	return &record.WatchedDatabase{
		Path: d.path, Library: library, Version: version,
		WatchedGets: w.describeGets(d, all, seconds), IOsPerGet: w.describeIOs(d.windows, all),
		Categories: w.describeCategories(d, seconds), Causes: describeCauses(d, all.volume), Callers: describeCallers(d, record.CauseGet),
		Checks: w.checks(d, all),
	}
}

func (w *Watch) checks(d *database, all *tally) readpath.Checks {
	list := readpath.Checks{
		region.Equal("regions", "reads that fit no block of the region maps", all.parts.Misplaced, "allowed", 0),
		region.Equal("components", "reads of all components and without a map", all.parts.Count.Sum()+all.unmapped, "reads", all.Count),
		d.tables.maps.Check(),
	}
	if w.waiting != nil {
		list = append(list, region.MissesWithinAccesses(d.missed(all), all.accesses))
	}
	return list
}

// libraryOf returns the name of the library that has a database open and, if it is known, its
// version.
func (w *Watch) libraryOf(d *database) (name, version string) {
	l, known := d.library()
	if !known {
		return l.family, ""
	}
	return l.name, w.program.Module(l.module)
}

func (w *Watch) describeGets(d *database, t *tally, seconds float64) record.WatchedGets {
	g := record.WatchedGets{
		Gets: t.gets, GetsPerSecond: float64(t.gets) / seconds, Reads: t.volume.describe(),
		Components: record.ReadsByComponent(t.parts), UnmappedReads: t.unmapped,
	}
	if t.gets > 0 {
		g.Distribution = record.NewDistribution(t.histogram(), 0)
	}
	if w.waiting != nil {
		g.BlockCache = d.describeAccesses(t)
	}
	return g
}

// describeIOs returns nil without Gets.
func (w *Watch) describeIOs(windows []steady.Window, all *tally) *record.WatchedIOs {
	if all.gets == 0 {
		return nil
	}
	io := &record.WatchedIOs{Mean: float64(all.Count) / float64(all.gets), WindowSeconds: w.length.Seconds()}
	if lo, hi, ok := steady.Confidence(windows); ok {
		io.CI95 = &[2]float64{lo, hi}
	}
	for _, each := range steady.WithGets(windows) {
		io.Windows = append(io.Windows, record.WatchedWindow{Gets: each.Gets, Reads: int64(each.Reads)})
	}
	return io
}

// describeCategories returns the Gets by category, the one with the most reads first.
func (w *Watch) describeCategories(d *database, seconds float64) (all []*record.WatchedCategory) {
	if w.rules == nil {
		return nil
	}
	merged := map[chaindata.Category]*tally{}
	for class, t := range d.gets {
		c := w.categoryOf(class)
		entryOf(merged, c, newTally).merge(t)
	}
	for c, t := range merged {
		if t.gets > 0 {
			all = append(all, &record.WatchedCategory{Category: string(c), WatchedGets: w.describeGets(d, t, seconds)})
		}
	}
	slices.SortFunc(all, func(a, b *record.WatchedCategory) int {
		return cmp.Or(cmp.Compare(b.Reads.Count, a.Reads.Count), cmp.Compare(b.Gets, a.Gets), cmp.Compare(a.Category, b.Category))
	})
	return all
}

// categoryOf returns the category of a class of keys; 0 is no class.
func (w *Watch) categoryOf(class uint32) chaindata.Category {
	if class == 0 {
		return chaindata.Unaccounted
	}
	return w.rules[class-1].Category
}

// describeCauses returns the reads by cause, in the order of record.ReadCauses.
func describeCauses(d *database, gets *volume) (all []*record.WatchedCause) {
	for _, cause := range record.ReadCauses() {
		if cause == record.CauseGet && gets.Count+gets.Prefetches > 0 {
			all = append(all, &record.WatchedCause{Cause: cause, WatchedReads: gets.describe()})
		}
		if p := d.causes[cause]; p != nil {
			all = append(all, &record.WatchedCause{
				Cause: cause, WatchedReads: p.volume.describe(),
				Components: record.ReadsByComponent(p.parts), UnmappedReads: p.unmapped, Callers: describeCallers(d, cause),
			})
		}
	}
	return all
}

// describeCallers returns the reads of a cause by caller, the one with the most reads first.
func describeCallers(d *database, cause record.ReadCause) (all []*record.WatchedCaller) {
	for p, v := range d.callers {
		if p.cause == cause {
			all = append(all, &record.WatchedCaller{Method: p.method, Accessor: p.accessor, WatchedReads: v.describe()})
		}
	}
	slices.SortFunc(all, func(a, b *record.WatchedCaller) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Accessor, b.Accessor))
	})
	return all
}
