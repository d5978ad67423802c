// Package clientdb measures lookups in the MDBX databases of clients, such as reth and erigon. A
// client maps its file, so the kernel alone knows what is read: getio looks keys up with the same
// library in a process of its own, in a control group that counts the process's reads and limits the
// page cache. The database stays where it is and is only read.
package clientdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"getio/engine/lsm"
	"getio/engine/mdbxfile"
	"getio/measure/keysource"
	"getio/numbers/steady"
	"getio/numbers/units"
	"getio/record"
	"getio/statedb/counter"
	"getio/statedb/stores"
	"getio/system/filelock"
	"getio/workload"
)

// Plan is what to measure.
type Plan struct {
	Dir               string          // of the data file
	Tables            []string        // whose keys are looked up; none: see chooseTables
	Caches            []lsm.CacheSize // page cache of the database; none: see defaultCaches
	workload.Workload                 // Gets of keys that are drawn; the warm-up is auto or a number
	State             string          // as in counter.Place
	// Journal keeps the results; those that it has are not measured again.
	Journal  record.Journal
	Progress func(phase string, done, total uint64, unit, note string)
	// Finish is called with each result once it is kept.
	Finish func(*record.Result) error
}

// Run measures with each cache in turn. The error of a run that is not finished says what is kept.
func (p *Plan) Run(ctx context.Context) (results []*record.Result, err error) {
	if !counter.Allowed() {
		return nil, fmt.Errorf("the kernel alone can count reads of %s, which is an MDBX database: %w", p.Dir, counter.ErrRoot)
	}
	done, err := p.Journal.Results()
	if err != nil {
		return nil, err
	}
	m, err := p.prepare()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	p.Journal.Runs, p.Journal.Total = "cache sizes", len(m.caches)
	for _, cache := range m.caches {
		r := m.among(done, cache)
		measured := r == nil
		if measured {
			if r, err = m.measure(ctx, cache); err != nil {
				return results, p.Journal.Unfinished(err)
			}
		}
		results = append(results, r)
		if err := errors.Join(p.Journal.Finish(r, measured), p.Finish(r)); err != nil {
			return results, err
		}
	}
	return results, nil
}

// measurement is a plan for a database.
type measurement struct {
	*Plan
	command []string
	version string // of the library
	db      *mdbxfile.Database
	tables  []mdbxfile.Table
	caches  []int64
	lookups []*lookups // of each table
}

// prepare reads what the database says of itself and completes the plan.
func (p *Plan) prepare() (m *measurement, err error) {
	if _, ok := p.Warmup.Number(); !ok && p.Warmup != workload.AutoWarmup {
		return nil, fmt.Errorf("invalid --warmup %s for an MDBX database: want auto or a number of Gets", p.Warmup)
	}
	m = &measurement{Plan: p}
	if m.command, m.version, err = stores.MDBXReader(); err != nil {
		return nil, err
	}
	// What a client reads would be in the page cache, and it may write to the pages of a lookup.
	if err := filelock.CheckUnused(p.Dir, mdbxfile.Name, mdbxfile.LockName); err != nil {
		return nil, err
	}
	if m.db, err = mdbxfile.Read(p.Dir); err != nil {
		return nil, err
	}
	if m.tables, err = chooseTables(m.db, p.Tables); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Dir, err)
	}
	for _, t := range m.tables {
		if err := t.RequireAbsent(); p.Absent > 0 && err != nil {
			return nil, err
		}
	}
	m.lookups = make([]*lookups, len(m.tables))
	m.caches, err = p.cacheBytes(m.db.UsedBytes())
	if p.Gets == 0 {
		p.Gets = steady.Windows * m.minWindow()
	}
	return m, err
}

// cacheBytes are the caches in bytes, in the order of the plan.
func (p *Plan) cacheBytes(total int64) (all []int64, err error) {
	if len(p.Caches) == 0 {
		return defaultCaches(total), nil
	}
	for _, c := range p.Caches {
		bytes, err := c.BytesOf(total)
		if err == nil && bytes < counter.LeastLimit {
			err = fmt.Errorf("a page cache of %s is too small for the kernel to keep to: take at least %s", units.Size(bytes), units.Size(counter.LeastLimit))
		}
		if err != nil {
			return nil, err
		}
		all = append(all, bytes)
	}
	return all, nil
}

// defaultCaches are up to six sizes from 0.25% of the database on, each twice the one before. Of a
// small database, they begin with the smallest that can be measured.
func defaultCaches(total int64) []int64 {
	first := max(total/400, counter.LeastLimit)
	all := []int64{first}
	for n := 2 * first; len(all) < 6 && n < total; n *= 2 {
		all = append(all, n)
	}
	return all
}

// among returns the result of the same run among earlier ones, or nil.
func (m *measurement) among(done []*record.Result, cache int64) *record.Result {
	want := m.describe(cache)
	for _, r := range done {
		w := want.Workload
		w.WarmupGets = r.Workload.WarmupGets
		if r.Cache.Bytes == cache && r.Dataset == want.Dataset && r.Workload == w && r.Engine.Version == want.Engine.Version &&
			maps.Equal(r.Engine.Options, want.Engine.Options) && r.Counted == want.Counted && r.Checks.Hold() {
			return r
		}
	}
	return nil
}

// describe returns a result with what is known before it is measured.
func (m *measurement) describe(cache int64) *record.Result {
	total := m.db.UsedBytes()
	r := &record.Result{
		Schema: record.ResultSchema, Counted: record.CountedOutside,
		Dataset:     record.Dataset{Path: m.Dir, Kind: "existing", Keyspace: keysource.KindSampled, Bytes: total},
		Cache:       record.Cache{Bytes: cache, FractionOfDB: float64(cache) / float64(total)},
		Workload:    record.NewMade(m.Workload),
		Environment: record.ThisMachine(),
	}
	r.Workload.Workers = 1 // each lookup after the one before
	r.Workload.SetKeys(m.Keys)
	var names []string
	for _, t := range m.tables {
		name := mdbxfile.Printable(t.Name)
		names = append(names, name)
		r.Dataset.Records += int64(t.Entries)
		r.Tables = append(r.Tables, record.TableReads{Name: name, DupSort: t.Flags&mdbxfile.DupSort != 0, Entries: int64(t.Entries)})
	}
	r.Engine = record.Engine{
		Name: "mdbx", Version: m.version, Preset: "existing",
		Options: map[string]string{"page_size": fmt.Sprint(m.db.PageBytes), "tables": strings.Join(names, ",")},
	}
	return r
}

// draw makes sure that there are keys for so many lookups. What it reads is dropped from the page
// cache before anything is counted.
func (m *measurement) draw(ctx context.Context, n int64) (err error) {
	each := int((n/batch/int64(len(m.tables)) + 2) * batch)
	for i, t := range m.tables {
		if m.lookups[i] == nil {
			if m.lookups[i], err = m.newLookups(i); err != nil {
				return err
			}
		}
		for l := m.lookups[i]; len(l.drawn) < each; {
			if err := l.draw(); err != nil {
				return err
			}
			if n := len(l.drawn); n%progressEvery == 0 {
				m.Progress("draw keys of "+mdbxfile.Printable(t.Name), uint64(n), uint64(each), "keys", "")
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// progressEvery is the number of keys drawn between reports of progress.
const progressEvery = 1 << 10

func (m *measurement) close() (err error) {
	for _, l := range m.lookups {
		if l != nil {
			err = errors.Join(err, l.sampler.Close())
		}
	}
	return err
}
