// Package watch counts what a running process reads from its databases: per Get, by component of the tables, by category of
// the keys and by cause. It knows Go programs with Pebble and goleveldb. The program is neither changed nor restarted, and
// its files are only read. Package probe delivers the reads from the kernel; this package says what they were.
package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"getio/client/chaindata"
	"getio/client/geth"
	"getio/numbers/steady"
	"getio/record"
	"getio/watch/goprogram"
	"getio/watch/probe"
)

// Watch is a process that is watched.
type Watch struct {
	process   *process
	name      string // of the process
	program   *goprogram.Program
	lookups   []lookup
	rules     []chaindata.KeyRule // of the classes of keys; none if the program is no client
	probe     *probe.Probe
	stacks    stacks
	byCaller  bool
	databases []*database
	// unreachable are directories with a LOCK to which no path from here leads.
	unreachable []string
	files       map[record.FileKind]*volume // reads of other files than tables
	ahead       ahead
	device      deviceAccount
	byFolder    map[probe.Folder]*database
	byAddress   map[uint64]*database // of the library's DB
	reading     map[uint64]*reading  // by goroutine
	// Counting goes on from began to ended on the kernel's clock; ended is 0 until it stopped.
	// earlier is how long it went on before.
	began, ended, earlier time.Duration
	started               time.Duration // on the kernel's clock
	// A window ends when Gets were counted for windowEnds in all; the next one takes length. Each
	// database has so many windows.
	windowEnds, length time.Duration
	windows            int
	intermittent       bool            // Gets are not counted all of the time
	unowned            int64           // reads of Gets
	unownedOther       int64           // reads of others
	uncounted, unbegun int64           // reads
	replaced           bool            // the process runs another program now
	waiting            waitingAccesses // of the block cache
	recorder           *recorder       // nil without a trace
	iterators          iterators
	// changed are directories in which names are created or removed after the counting began.
	changed []string
	// observe, which may be nil, is shown every read of a Get.
	observe func(*database, *probe.Read)
}

// reading is a Get that has read something.
type reading struct {
	get   probe.Get
	tally *tally
	reads int
}

// Options say what is told apart.
type Options struct {
	// ByCaller tells on whose behalf reads were made.
	ByCaller bool
	// Accesses counts the accesses of the block cache, too.
	Accesses bool
	// Record asks for a trace; nil for none.
	Record *Recording
}

// Open prepares to watch a process: it finds its lookup functions and its databases, and reads which
// bytes of their tables are what. The Watch must be closed.
func Open(ctx context.Context, pid int, o Options) (*Watch, error) {
	if err := probe.Supports(runtime.GOARCH); err != nil {
		return nil, err
	}
	p, err := openProcess(pid)
	if err != nil {
		return nil, err
	}
	w := &Watch{
		process: p, name: p.name(), byFolder: map[probe.Folder]*database{}, byAddress: map[uint64]*database{},
		reading: map[uint64]*reading{}, files: map[record.FileKind]*volume{},
	}
	if err := w.prepare(ctx, o); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Watch) prepare(ctx context.Context, o Options) (err error) {
	if w.program, err = goprogram.Open(w.process.pid); err != nil {
		return err
	}
	w.stacks, w.byCaller = stacks{w.program, map[uint64]frame{}}, o.ByCaller
	if err := refuseProfiled(w.program); err != nil {
		return err
	}
	if w.lookups, err = lookupsOf(w.program); err != nil {
		return err
	}
	if w.program.Has(geth.ReadsSchema) {
		w.rules = chaindata.KeyRules()
	}
	if err := w.findDatabases(ctx); err != nil {
		return err
	}
	if err := w.requireReachable(len(w.databases) == 0 || o.Record != nil && o.Record.Database == ""); err != nil {
		return err
	}
	if o.Record != nil {
		if w.recorder, err = newRecorder(ctx, *o.Record, w.databases); err != nil {
			return err
		}
		w.changed = append(w.changed, w.recorder.file.Dir())
	}
	target := w.target()
	if o.Accesses {
		w.waiting = waitingAccesses{}
		if target.Accesses, err = accessesOf(w.program, w.libraries()); err != nil {
			return err
		}
	}
	w.iterators = countIterators(w.program, w.libraries(), target)
	w.probe, err = probe.New(target)
	return err
}

// refuseProfiled returns an error if the compiler may have merged lookups into their callers.
func refuseProfiled(p *goprogram.Program) error {
	if p.Setting("-pgo") == "" {
		return nil
	}
	return fmt.Errorf("process %d was built with a profile (-pgo), so the compiler may have merged its lookups into their callers, where they cannot be counted: build it with -pgo=off", p.PID)
}

func (w *Watch) target() *probe.Target {
	t := &probe.Target{PID: w.process.pid, Binary: w.program.Path(), Classes: w.rules, Stacks: w.byCaller, Keys: w.recorder != nil}
	for _, l := range w.lookups {
		t.Entries = append(t.Entries, l.entry)
	}
	return t
}

// Close ends the watching and frees what it holds.
func (w *Watch) Close() error {
	var errs []error
	if w.probe != nil {
		errs = append(errs, w.probe.Close())
	}
	if w.recorder != nil {
		w.recorder.file.Discard()
	}
	if w.program != nil {
		errs = append(errs, w.program.Close())
	}
	for _, d := range w.databases {
		d.tables.close()
	}
	w.process.close()
	return errors.Join(errs...)
}

// findDatabases finds the databases that the process has open, and their tables. It leaves out those
// that were found before.
func (w *Watch) findDatabases(ctx context.Context) error {
	dirs, err := w.process.locked()
	if err != nil {
		return err
	}
	w.unreachable = nil
	for _, dir := range dirs {
		if dir.here == "" && !slices.Contains(w.unreachable, dir.path) {
			w.unreachable = append(w.unreachable, dir.path)
		}
		if slices.Contains(w.Paths(), dir.path) || !dir.holdsTables() {
			continue
		}
		w.add(dir)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// libraries are those that the program is built with.
func (w *Watch) libraries() (all []*library) {
	for _, l := range w.lookups {
		if !slices.Contains(all, l.library) {
			all = append(all, l.library)
		}
	}
	return all
}

// holdsTables tells a database from other directories with a LOCK file, such as geth's freezer.
func (d directory) holdsTables() bool {
	if d.here == "" {
		return false
	}
	found, _ := filepath.Glob(filepath.Join(d.here, "MANIFEST-*"))
	return len(found) > 0
}

// requireReachable returns an error if a directory that may hold one of the databases cannot be reached from here, and
// need says that this one may be needed.
func (w *Watch) requireReachable(need bool) error {
	if len(w.unreachable) == 0 || !need {
		return nil
	}
	return fmt.Errorf("process %d has files open in %s, which neither that path nor one below /proc/%d/root leads to from here: run getio in its mount namespace, with 'nsenter --target %d --mount'",
		w.process.pid, strings.Join(w.unreachable, ", "), w.process.pid, w.process.pid)
}

// add adds the database in a directory, and returns nil if it is another library's, or gone. One that is found later has
// made no Gets in the windows before.
func (w *Watch) add(dir directory) *database {
	d, err := newDatabase(w.process, dir, w.libraries())
	if err != nil {
		return nil
	}
	d.windows = make([]steady.Window, w.windows)
	w.databases = append(w.databases, d)
	w.byFolder[d.folder] = d
	d.tables.find()
	return d
}

// Paths returns the directories of the databases that the process has open.
func (w *Watch) Paths() (paths []string) {
	for _, d := range w.databases {
		paths = append(paths, d.path)
	}
	return paths
}

// databaseOf returns the database whose table was read; nil if it cannot be found.
func (w *Watch) databaseOf(r *probe.Read) *database {
	if d := w.byFolder[r.Folder]; d != nil {
		return d
	}
	for _, d := range w.databases { // whose directory may have been deleted and made anew
		if is, err := folder(d.here); err == nil && is == r.Folder {
			w.byFolder[r.Folder] = d
			return d
		}
	}
	// It was opened since, or its file system names devices in its own way.
	dir, name, ok := w.process.directoryOf(strconv.FormatUint(uint64(r.FD), 10))
	if !ok || name != r.Name {
		return nil
	}
	for _, d := range w.databases {
		if d.path == dir.path {
			w.byFolder[r.Folder] = d
			return d
		}
	}
	d := w.add(dir)
	if d != nil {
		w.byFolder[r.Folder] = d
	}
	return d
}

// atOnce is how many reads are taken before anything else is done. A process may read faster than
// they can be taken.
const atOnce = 25_000

// poll takes some of what the kernel has delivered, and returns how much. It takes reads before keys: the first read of a
// database tells which one it is.
func (w *Watch) poll() (n int, err error) {
	if n, err = w.probe.Reads(atOnce, w.take); err != nil || w.recorder == nil {
		return n, err
	}
	w.recorder.resolve(func(g probe.Get) *database { return w.byAddress[g.DB] })
	keys, err := w.probe.Lookups(atOnce, func(l *probe.Lookup) { w.recorder.take(l, w.byAddress[l.Get.DB]) })
	return max(n, keys), err
}

// drain takes all that the kernel has delivered. The probe must be detached.
func (w *Watch) drain() error {
	for {
		n, err := w.poll()
		if err != nil || n < atOnce {
			return err
		}
	}
}

func (w *Watch) take(p *probe.Read) {
	r := &read{p, w.ahead.take(p)}
	switch {
	case r.OfGet && r.Get.DB != 0:
		w.takeOfGet(r)
	case r.Began < w.began, w.ended != 0 && r.Began > w.ended, r.OfGet && r.Began < w.began+longestGet:
		w.uncounted++ // it, or its Get, began before the counting or after it
	case r.OfGet:
		w.unbegun++
	case isTable(r.Name):
		w.takeOther(r)
	default:
		entryOf(w.files, kindOf(r.Name), newVolume).add(r)
	}
}

// longestGet is how long Gets that began before the counting may go on reading.
const longestGet = time.Second

// takeOther takes a read of a table that no Get made.
func (w *Watch) takeOther(r *read) {
	d := w.databaseOf(r.Read)
	if d == nil {
		w.unownedOther++
		return
	}
	cause := w.stacks.cause(r.Stack)
	d.addOther(cause, r)
	w.addCaller(d, cause, r)
}

func (w *Watch) takeOfGet(r *read) {
	d := w.byAddress[r.Get.DB]
	if at := w.databaseOf(r.Read); d == nil && at != nil {
		d = at
		d.likely = []*library{w.lookups[r.Get.Entry].library}
		w.byAddress[r.Get.DB] = d
	} else if d == nil || d != at {
		w.unowned++
		return
	}
	d.addRead(r.Get.Class, r)
	w.addCaller(d, record.CauseGet, r)
	if r.Prefetch {
		return
	}
	if w.observe != nil {
		w.observe(d, r.Read)
	}
	now := w.reading[r.Goroutine]
	switch {
	case now == nil:
		now = &reading{}
		w.reading[r.Goroutine] = now
	case now.get == r.Get:
		now.reads++
		return
	default:
		now.finish()
	}
	*now = reading{get: r.Get, tally: d.tally(r.Get.Class), reads: 1}
}

// addCaller counts a read for its caller, if callers are asked for.
func (w *Watch) addCaller(d *database, cause record.ReadCause, r *read) {
	if w.byCaller {
		entryOf(d.callers, purpose{cause, w.stacks.caller(r.Read)}, newVolume).add(r)
	}
}

// finish counts a Get that has made its last read.
func (r *reading) finish() {
	r.tally.perReads[r.reads]++
}

// counted is for how long Gets and reads have been counted.
func (w *Watch) counted() time.Duration {
	if w.ended > 0 {
		return w.earlier + w.ended - w.began
	}
	return w.earlier + now() - w.began
}

// now is the time on the kernel's monotonic clock.
func now() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // it has no error that could happen
	return time.Duration(t.Nano())
}
