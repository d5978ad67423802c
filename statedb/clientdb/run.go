package clientdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"getio/engine/mdbxfile"
	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/numbers/units"
	"getio/record"
	"getio/record/judge"
	"getio/statedb/adapter"
	"getio/statedb/counter"
	"getio/statedb/mdbx"
	"getio/system/device"
	"getio/system/loopdisk"
)

const (
	// batch is the number of lookups in one transaction, all in one table. Batches take turns among
	// the tables.
	batch = 256
	// windows is how many windows the measured lookups are divided into, or fewer of windowFloor.
	windows     = 20
	windowFloor = 1_000
	// steadyWindow is the least number of lookups in each of five windows from which a run can be
	// called steady; in large trees, half as many as there are branch pages.
	steadyWindow = 20_000
)

// minWindow is steadyWindow for the measured tables.
func (m *measurement) minWindow() int64 {
	var branches int64
	for _, t := range m.tables {
		branches += t.BranchPages
	}
	return max(steadyWindow, branches/2)
}

// warmup is the number of lookups that fill a cache, unless the user gave one. A half is added, after which
// the upper pages have taken their place.
func (m *measurement) warmup(cache int64) int64 {
	if n, ok := m.Warmup.Number(); ok {
		return n
	}
	var pages float64
	for _, t := range m.tables {
		pages += float64(t.Pages() * m.db.PageBytes / loopdisk.Block)
	}
	return int64(1.5 * counter.Filling(pages, float64(cache/loopdisk.Block)/pages))
}

// run makes lookups in the process of an adapter.
type run struct {
	*measurement
	ctx     context.Context
	counter *counter.Counter
	client  *adapter.Client
	limit   *counter.Limit
	next    []int           // number of the next key of each table
	turn    int             // table of the next batch
	last    counter.Count   // at the end of the last batch
	read    []counter.Reads // for each table

	batched [][]byte // lookups of a batch
	buffer  []byte
}

func (m *measurement) measure(ctx context.Context, cache int64) (r *record.Result, err error) {
	r = m.describe(cache)
	r.Workload.WarmupGets = m.warmup(cache)
	if err := m.draw(ctx, r.Workload.WarmupGets+m.Gets); err != nil {
		return nil, err
	}
	q, err := m.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, q.close()) }()
	for range m.tables { // the first lookups open files and touch the program's own pages
		if err := q.batch(batch); err != nil {
			return nil, err
		}
	}
	if q.limit, err = q.counter.Limit(cache); err != nil {
		return nil, err
	}
	clear(q.next)
	q.turn = 0
	if _, err := q.window(r.Workload.WarmupGets, "warm-up", 0, r.Workload.WarmupGets, cache); err != nil {
		return nil, err
	}
	if err := q.measured(r); err != nil {
		return nil, err
	}
	r.Cache.ProcessBytes = q.limit.Beside
	r.Time = time.Now().UTC().Truncate(time.Second)
	return r, m.requireUnchanged()
}

// start starts the adapter in the control group. It opens a directory that holds no more than a link
// to the data file, so that the library's own lock file is not the client's.
func (m *measurement) start(ctx context.Context) (*run, error) {
	c, err := counter.Attach(m.State, m.Dir)
	if err != nil {
		return nil, err
	}
	q := &run{measurement: m, ctx: ctx, counter: c, next: make([]int, len(m.tables)), read: make([]counter.Reads, len(m.tables))}
	if err := q.open(); err != nil {
		return nil, errors.Join(err, q.close())
	}
	return q, nil
}

func (q *run) open() (err error) {
	data, err := filepath.Abs(filepath.Join(q.Dir, mdbxfile.Name))
	if err != nil {
		return err
	}
	linked := filepath.Join(q.counter.Private(), "database")
	if err := errors.Join(os.Mkdir(linked, 0o700), os.Symlink(data, filepath.Join(linked, mdbxfile.Name))); err != nil {
		return err
	}
	if q.client, err = adapter.StartBy(q.ctx, exec.Command(q.command[0], q.command[1:]...), q.counter.Start, 0); err != nil {
		return err
	}
	open := adapter.Open{Dir: linked, Mode: adapter.Read}
	for _, t := range q.tables {
		open.Options = append(open.Options, mdbx.TableOption+t.Name)
	}
	_, err = q.client.Open(open)
	if refused, ok := errors.AsType[*adapter.Refused](err); ok {
		return fmt.Errorf("%s: %s", q.Dir, refused.Text)
	}
	return err
}

func (q *run) close() (err error) {
	if q.client != nil {
		err = q.client.End()
	}
	return errors.Join(err, q.counter.Close())
}

// window makes n lookups, and counts their reads. done and total are of the phase.
func (q *run) window(n int64, phase string, done, total, cache int64) (w steady.Window, err error) {
	before := q.all().Reads
	for n > w.Gets {
		if err := q.limit.Adjust(); err != nil {
			return w, err
		}
		size := min(batch, n-w.Gets)
		if err := q.batch(int(size)); err != nil {
			return w, err
		}
		w.Gets += size
		w.Reads = float64(q.all().Reads - before)
		q.Progress(fmt.Sprintf("%s, %s", units.Size(cache), phase), uint64(done+w.Gets), uint64(total), "Gets", fmt.Sprintf("%.3f I/Os per Get", w.Mean()))
		if err := q.ctx.Err(); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (q *run) all() (all counter.Reads) {
	for _, r := range q.read {
		all = all.Add(r)
	}
	return all
}

// batch looks up the next n keys of the table whose turn it is.
func (q *run) batch(n int) error {
	table := q.turn
	q.turn = (q.turn + 1) % len(q.tables)
	drawn := q.lookups[table].drawn[q.next[table]:][:n]
	q.next[table] += n
	q.batched, q.buffer = q.batched[:0], q.buffer[:0]
	for _, l := range drawn {
		from, value := len(q.buffer), l.Value
		if q.tables[table].Flags&mdbxfile.DupSort == 0 {
			value = nil // a key has only one
		}
		q.buffer = mdbx.AppendLookup(q.buffer, table, l.Key, value)
		q.batched = append(q.batched, q.buffer[from:len(q.buffer):len(q.buffer)])
	}
	answers, _, err := q.client.Get(q.batched, false)
	if err != nil {
		return err
	}
	for i, l := range drawn {
		if err := l.check(answers[i]); err != nil {
			return fmt.Errorf("table %s: %w: the database is damaged, or a client writes to it; stop that, or restore it from a copy", mdbxfile.Printable(q.tables[table].Name), err)
		}
	}
	before := q.last
	q.last, err = q.counter.Count()
	read := q.last.Sub(before).Group
	q.read[table] = q.read[table].Add(counter.Reads{Lookups: int64(n), Reads: read.Reads, Bytes: read.Bytes})
	return err
}

// measured makes the measured lookups, and sets what they cost.
func (q *run) measured(r *record.Result) error {
	disk, err := device.DiskOf(q.Dir)
	if err != nil {
		return err
	}
	begun, err := q.kernelCounts(disk)
	if err != nil {
		return err
	}
	clear(q.read)
	count := int64(windows)
	if q.Gets < count*windowFloor {
		count = max(1, q.Gets/windowFloor)
	}
	var all []steady.Window
	for i := range count {
		from := i * q.Gets / count
		w, err := q.window((i+1)*q.Gets/count-from, "measure", from, q.Gets, r.Cache.Bytes)
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	ended, err := q.kernelCounts(disk)
	if err != nil {
		return err
	}
	r.IOsPerGet = judge.IOsPerGet(all)
	judge.Steadiness(&r.IOsPerGet, all, q.minWindow(), q.Gets+r.Workload.WarmupGets)
	if r.IOsPerGet.Steady == nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("too few Gets to tell whether the run is steady: %d windows of %d are needed", steady.Windows, q.minWindow()))
	}
	total := q.all()
	gets := float64(q.Gets)
	r.BytesPerGet = float64(total.Bytes) / gets
	r.Device = record.Device{
		PageCache: "limited", ReadsPerGet: new(total.PerLookup()), BytesPerGet: &r.BytesPerGet,
		Disk: disk.Name, DiskReadsPerGet: new(float64(ended.disk-begun.disk) / gets),
	}
	for i, read := range q.read {
		t := &r.Tables[i]
		t.Gets, t.ReadsPerGet = read.Lookups, read.PerLookup()
		t.BytesPerGet = float64(read.Bytes) / float64(max(read.Lookups, 1))
	}
	r.Checks = readpath.Checks{checkProcess(ended.process-begun.process, total.Bytes)}
	return nil
}

// kernelCounts are counts that the group's are compared with.
type kernelCounts struct{ process, disk int64 }

func (q *run) kernelCounts(disk device.Disk) (c kernelCounts, err error) {
	if c.process, err = device.ReadBytesOf(q.client.Pid()); err != nil {
		return c, err
	}
	c.disk, err = disk.Reads()
	return c, err
}

// ownTolerance is the largest part of a process's reads that may be of its own program, on another
// disk than the database.
const ownTolerance = 0.01

// checkProcess compares the kernel's count for the control group with that for its only process.
func checkProcess(process, group int64) readpath.Check {
	return readpath.Check{
		Name: "process", OK: process >= group && float64(process-group) <= ownTolerance*float64(process),
		Detail: fmt.Sprintf("the group read %s bytes of the disk, its process %s", units.Comma(group), units.Comma(process)),
	}
}

// requireUnchanged refuses what was measured while a client wrote.
func (m *measurement) requireUnchanged() error {
	now, err := mdbxfile.Read(m.Dir)
	if err != nil {
		return err
	}
	if now.Transaction != m.db.Transaction {
		return fmt.Errorf("%s changed while it was measured: stop its client, or work on a copy", m.Dir)
	}
	return nil
}
