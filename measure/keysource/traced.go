package keysource

import (
	"context"
	"fmt"
	"io"

	"getio/workload"
	"getio/workload/trace"
)

// traced is the sequence of the keys of a trace. Only prepared keys are in memory.
type traced struct {
	file *trace.File
	read *trace.Reader
	next int64 // number of the operation that the reader returns next

	first int64 // number of the first prepared key
	ops   []trace.Operation
	lines []int // line numbers, by operation
	keys  []*trace.Key
}

// Traced returns Gets of the keys of a trace, in its order.
func Traced(f *trace.File) (Sequence, error) {
	r, err := trace.NewReader(f.Path)
	if err != nil {
		return nil, err
	}
	return &traced{file: f, read: r}, nil
}

// perOperation returns the keys per operation; a scan has one, its first.
func (t *traced) perOperation() int64 {
	return workload.Operation{Kind: t.file.Kind, Records: t.file.Records}.EachKeys()
}

// Prepare continues reading, or starts again from the beginning for repeated Gets.
func (t *traced) Prepare(ctx context.Context, first, n int64) error {
	per := t.perOperation()
	from, to := first/per, (first+n+per-1)/per
	if to > t.file.Operations {
		return fmt.Errorf("%s has %d operations, but the run needs at least %d: choose fewer --gets, or a shorter --warmup", t.file.Path, t.file.Operations, to)
	}
	if from < t.next {
		if err := t.rewind(); err != nil {
			return err
		}
	}
	if int64(len(t.ops)) < to-from {
		t.ops = append(t.ops, make([]trace.Operation, to-from-int64(len(t.ops)))...)
	}
	t.first, t.keys, t.lines = from*per, t.keys[:0], t.lines[:0]
	for t.next < to {
		if t.next%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		o := &t.ops[max(t.next-from, 0)]
		if err := t.read.Next(o); err == io.EOF || err == nil && (o.Kind != t.file.Kind || o.Records() != t.file.Records) {
			return fmt.Errorf("%s, line %d: %w", t.file.Path, t.read.Line(), trace.ErrChanged)
		} else if err != nil {
			return err
		}
		if t.next >= from {
			t.lines = append(t.lines, t.read.Line())
			for i := range o.Keys {
				t.keys = append(t.keys, &o.Keys[i])
			}
		}
		t.next++
	}
	return nil
}

// rewind returns to the first operation.
func (t *traced) rewind() error {
	if err := t.read.Close(); err != nil {
		return err
	}
	t.next = 0
	var err error
	t.read, err = trace.NewReader(t.file.Path)
	return err
}

// Seen says when a running program made the Get, and by whom.
func (t *traced) Seen(g int64) trace.Seen {
	return t.ops[g/t.perOperation()-t.first/t.perOperation()].Seen
}

func (t *traced) Key(g int64, _ []byte) ([]byte, Want) {
	k := t.keys[g-t.first]
	return k.Bytes, Want{Present: k.Presence == trace.Present, Unknown: k.Presence == trace.Open}
}

func (t *traced) Check(g int64, want Want, key []byte, found bool, _ []byte) error {
	if err := checkFound(want, key, found); err != nil {
		return fmt.Errorf("%s, line %d: %w", t.file.Path, t.lines[(g-t.first)/t.perOperation()], err)
	}
	return nil
}

func (t *traced) Close() error {
	if t.read == nil {
		return nil
	}
	return t.read.Close()
}
