package trace

import (
	"context"
	"errors"
	"fmt"
	"io"

	"getio/system/filesystem"
	"getio/workload"
)

// File describes a trace that Check has read completely and found valid.
type File struct {
	Path       string
	SHA256     string // in hexadecimal
	Operations int64
	Header
	Kind    workload.Kind
	Records int // per operation
}

// Check reads a complete trace and validates it. All operations must be of one kind and look
// up the same number of records; otherwise figures per operation would be meaningless.
// progress, which may be nil, is called now and then with the number of operations read.
func Check(ctx context.Context, path string, progress func(operations int64)) (*File, error) {
	r, err := NewReader(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f := &File{Path: path, Header: r.header}
	var o Operation
	for {
		err := r.Next(&o)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if f.Operations == 0 {
			f.Kind, f.Records = o.Kind, o.Records()
		}
		if o.Kind != f.Kind || o.Records() != f.Records {
			return nil, r.wrong(fmt.Errorf("%s of %d after %s of %d: a run needs operations of one kind and length; split the trace",
				o.Kind, o.Records(), f.Kind, f.Records))
		}
		if rec := f.Recorded; rec != nil && rec.Sample > 1 && o.Seen.In == 0 {
			return nil, r.wrong(errors.New("a sample without the neighbourhood of each key: write 'get KEY at=SECONDS by=NUMBER in=NUMBER'"))
		}
		if f.Operations++; f.Operations%checkEvery == 0 {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if progress != nil {
				progress(f.Operations)
			}
		}
	}
	switch {
	case f.Operations == 0:
		return nil, fmt.Errorf("%s has no operations: write one per line, as described in docs/traces.md", path)
	case f.Recorded != nil && (f.Recorded.Gets < f.Operations || f.Recorded.Before >= f.Recorded.Gets):
		return nil, fmt.Errorf("%s, line 1: gets=%d and before=%d do not fit %d operations: gets is at least as many, and before is less than gets", path, f.Recorded.Gets, f.Recorded.Before, f.Operations)
	case f.Operations <= f.Warmup:
		return nil, fmt.Errorf("%s, line 1: warmup=%d leaves none of the %d operations to measure: use a smaller warm-up", path, f.Warmup, f.Operations)
	}
	if f.SHA256, err = filesystem.SHA256(path); err != nil {
		return nil, fmt.Errorf("cannot read the trace: %w", err)
	}
	return f, nil
}

// RequireKeys returns an error if nothing can be looked up with what the trace has for keys.
func (f *File) RequireKeys() error {
	if f.Recorded != nil && f.Recorded.Keys == Hashed {
		return fmt.Errorf("%s has hashes in place of keys, with which nothing can be looked up: record a trace with --keys whole", f.Path)
	}
	return nil
}

// Sampled returns of how many neighbourhoods of keys the trace has one; 1: it has all keys.
func (f *File) Sampled() int64 {
	if f.Recorded == nil {
		return 1
	}
	return f.Recorded.Sample
}

// Memtables returns the bytes of a block cache to set aside for memtables: the share that the recorded program's
// memtables took. It returns 0 if the trace is nil or states no share.
func (f *File) Memtables(cacheBytes int64) int64 {
	if f == nil || f.Recorded == nil {
		return 0
	}
	return int64(f.Recorded.Memtables * float64(cacheBytes))
}

// Measured returns how many operations are measured after a warm-up: gets, or all that are left if
// that is 0.
func (f *File) Measured(warmup, gets int64) (int64, error) {
	left := f.Operations - warmup
	if left < 1 || gets > left {
		return 0, fmt.Errorf("%s has %d operations, which is too few for a warm-up of %d and %d measured ones: take fewer --gets, or less --warmup",
			f.Path, f.Operations, warmup, max(gets, 1))
	}
	if gets == 0 {
		return left, nil
	}
	return gets, nil
}

// StandFor returns how many Gets of a recorded program n operations behind the first ones stand for.
func (f *File) StandFor(first, n int64) float64 {
	r := f.Recorded
	if first == f.Warmup && first+n == f.Operations {
		return float64(r.Gets - r.Before)
	}
	return float64(r.Gets) * float64(n) / float64(f.Operations)
}

// checkEvery is the number of operations between two checks of the context.
const checkEvery = 1 << 14

// ErrChanged means that the trace has changed since Check read it.
var ErrChanged = errors.New("the file changed while it was being read, so no figure of this run is valid")

// Follow returns the workload of a run that makes the trace's operations: their kind and number and, unless ownWarmup,
// the trace's warm-up.
func (f *File) Follow(w workload.Workload, ownWarmup bool) (workload.Workload, error) {
	if err := f.RequireKeys(); err != nil {
		return w, err
	}
	if n := f.Sampled(); n > 1 {
		return w, fmt.Errorf("%s has the Gets of one in %d neighbourhoods of keys, for which no real cache has the right size: 'getio curve' computes what all Gets do", f.Path, n)
	}
	if !ownWarmup {
		w.Warmup = workload.WarmupGets(f.Warmup)
	}
	warmup, known := w.Warmup.Number()
	if !known {
		return w, errors.New("--warmup of a trace must be a number of its operations: give one, or leave it to the trace")
	}
	if w.Kind, w.Records = "", 0; !f.Kind.IsGet() {
		w.Kind, w.Records = f.Kind, f.Records
	}
	var err error
	w.Gets, err = f.Measured(warmup, w.Gets)
	return w, err
}
