package watch

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"getio/record"
	"getio/system/filesystem"
	"getio/watch/probe"
	"getio/workload"
	"getio/workload/trace"
)

// Recording asks for a trace of the Gets of one database.
type Recording struct {
	Path string
	Keys trace.KeyForm
	// Sample is of how many neighbourhoods of keys one is taken; 1: all keys.
	Sample int64
	// Database is the directory; empty for the largest Pebble database or, without one, the largest.
	Database string
}

type recorder struct {
	asked    Recording
	database *database
	sample   *neighbourhoods // nil if all keys are taken
	salt     []byte          // of hashes
	file     *trace.Writer
	told     trace.Recorded

	began      time.Duration // the first Get, on the kernel's clock
	goroutines map[uint64]int64
	// waiting are Gets of databases that are not known yet, by the address of the library's DB.
	waiting map[uint64][]probe.Lookup
	held    int // in all
	// unknown counts such Gets for which there was no room.
	unknown map[probe.Get]int64
	seen    int64 // Gets of the database
	// marks[i] is how many Gets were in the trace when i*marksEvery were made. When there are too many, every second one is
	// kept.
	marks      []int64
	marksEvery int64
	written    int64
	op         trace.Operation
}

const (
	mostMarks      = 1 << 16
	memtablesEvery = 1 << 16 // Gets
)

// mostHeld is how many Gets of about 150 bytes can wait. Tests reduce it.
var mostHeld = 1 << 19

// newRecorder begins a trace. It must be finished or discarded.
func newRecorder(ctx context.Context, r Recording, databases []*database) (*recorder, error) {
	d, err := chooseDatabase(r.Database, databases)
	if err != nil {
		return nil, err
	}
	for _, d := range databases {
		if in, err := filesystem.Contains(d.here, r.Path); err == nil && in {
			return nil, fmt.Errorf("%s lies in the database %s, which getio does not change: choose a file elsewhere", r.Path, d.path)
		}
	}
	rec := &recorder{
		asked: r, database: d, marksEvery: 1, told: trace.Recorded{Sample: r.Sample, Keys: r.Keys},
		goroutines: map[uint64]int64{}, waiting: map[uint64][]probe.Lookup{}, unknown: map[probe.Get]int64{},
		op: trace.Operation{Kind: workload.Get, Keys: make([]trace.Key, 1)},
	}
	if r.Keys == trace.Hashed {
		rec.salt = make([]byte, sha256.Size)
		rand.Read(rec.salt) // never fails
	}
	if r.Sample > 1 {
		if rec.sample, err = divide(ctx, d, r.Sample); err != nil {
			return nil, err
		}
	}
	if rec.file, err = trace.Create(r.Path, &rec.told); err != nil {
		return nil, err
	}
	return rec, nil
}

// chooseDatabase returns the database in a directory. Without a directory, it prefers Pebble, and then the largest:
// beside its chain, geth has a small LevelDB database of its peers.
func chooseDatabase(dir string, databases []*database) (chosen *database, err error) {
	if len(databases) == 0 {
		return nil, errors.New("the process has no Pebble or goleveldb database open whose Gets could be recorded: start it first")
	}
	if dir != "" {
		var paths []string
		for _, d := range databases {
			if filepath.Clean(dir) == d.path {
				return d, nil
			}
			paths = append(paths, d.path)
		}
		return nil, fmt.Errorf("the process has no database open in %s: name one of %q", dir, paths)
	}
	var most int64
	for _, d := range databases {
		_, total, err := d.tableFiles()
		if err != nil {
			return nil, err
		}
		if chosen == nil || d.isPebble() && !chosen.isPebble() || d.isPebble() == chosen.isPebble() && total > most {
			chosen, most = d, total
		}
	}
	return chosen, nil
}

func (d *database) isPebble() bool { return d.likely[0].family == "Pebble" }

func (r *recorder) take(l *probe.Lookup, d *database) {
	switch {
	case d == r.database:
		r.write(l)
	case d != nil:
	case r.held < mostHeld:
		r.held++
		kept := *l
		kept.Key = bytes.Clone(l.Key)
		r.waiting[l.Get.DB] = append(r.waiting[l.Get.DB], kept)
	default:
		r.unknown[probe.Get{DB: l.Get.DB, Entry: l.Get.Entry}]++
	}
}

// resolve takes Gets that were waiting for their database to become known.
func (r *recorder) resolve(of func(probe.Get) *database) {
	for get := range r.unknown {
		if d := of(get); d != nil && d != r.database {
			delete(r.unknown, get)
		}
	}
	for address, list := range r.waiting {
		d := of(list[0].Get)
		if d == nil {
			continue
		}
		for i := range list {
			r.take(&list[i], d)
		}
		r.held -= len(list)
		delete(r.waiting, address)
	}
}

// write adds a Get to the trace, if the sample has its key.
func (r *recorder) write(l *probe.Lookup) {
	if r.seen%r.marksEvery == 0 {
		if len(r.marks) == mostMarks {
			for i := range mostMarks / 2 {
				r.marks[i] = r.marks[2*i]
			}
			r.marks, r.marksEvery = r.marks[:mostMarks/2], 2*r.marksEvery
		}
		r.marks = append(r.marks, r.written)
	}
	if r.seen%memtablesEvery == 0 {
		r.lookAtMemtables()
	}
	if r.seen++; r.seen == 1 {
		r.began = l.Began
	}
	seen := trace.Seen{At: max(l.Began-r.began, 0), By: r.goroutine(l.Goroutine)}
	if r.sample != nil {
		var taken bool
		if seen.In, taken = r.sample.of(l.Key); !taken {
			return
		}
	}
	if len(l.Key) == 0 { // a trace has no place for it
		r.told.Lost++
		return
	}
	r.written++
	r.op.Seen = seen
	r.op.Keys[0].Bytes = r.form(l.Key)
	r.file.Write(&r.op) // Finish returns its first error
}

// lookAtMemtables keeps the share that is known last: nothing can be seen of a process that has ended.
func (r *recorder) lookAtMemtables() {
	if share := r.database.memtableShare(); share > 0 {
		r.told.Memtables = share
	}
}

func (r *recorder) goroutine(address uint64) int64 {
	n, ok := r.goroutines[address]
	if !ok {
		n = int64(len(r.goroutines)) + 1
		r.goroutines[address] = n
	}
	return n
}

// hashBytes is enough to tell the keys of a trace apart.
const hashBytes = 12

func (r *recorder) form(key []byte) []byte {
	if r.salt == nil {
		return key
	}
	mac := hmac.New(sha256.New, r.salt)
	mac.Write(key)
	return mac.Sum(nil)[:hashBytes]
}

// finish ends the trace and says what it holds. gets are all Gets of the database, lost those of the
// process whose keys were not delivered. It returns nil if there was no Get, and then there is no
// trace.
func (r *recorder) finish(gets, lost int64) (*record.WatchedTrace, error) {
	r.told.Gets = max(gets, r.seen)
	r.told.Lost += lost
	for _, n := range r.unknown {
		r.told.Lost += n
	}
	for _, list := range r.waiting {
		r.told.Lost += int64(len(list))
	}
	if r.written == 0 {
		r.file.Discard()
		return nil, nil
	}
	half, measured := r.database.secondHalf()
	mark := min(half/r.marksEvery, int64(len(r.marks)-1))
	r.lookAtMemtables()
	t := &record.WatchedTrace{
		Path: r.asked.Path, Database: r.database.path, Keys: string(r.asked.Keys), Sample: r.asked.Sample,
		Gets: r.told.Gets, LostGets: r.told.Lost, Operations: r.written, Goroutines: int64(len(r.goroutines)),
		WarmupOperations: r.marks[mark], Measured: measured, MemtableShare: r.told.Memtables,
	}
	if t.WarmupOperations >= r.written {
		t.WarmupOperations, mark = 0, 0
	}
	r.told.Before = mark * r.marksEvery
	return t, r.file.Finish(t.WarmupOperations)
}
