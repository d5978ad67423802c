package treewriter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"getio/engine"
	"getio/engine/virtual"
	"getio/workload/dataset"
)

// Mismatch is the error for a table that differs from what the library writes: this getio
// cannot build tables for this library.
type Mismatch struct {
	Path   string
	Level  int
	Offset int64 // of the first byte that differs
}

func (u *Mismatch) Error() string {
	return fmt.Sprintf("the table %s of L%d differs from what the library's own writer makes (from byte %d on): this version of getio cannot write tables for this library, load without --shaped or --virtual",
		u.Path, u.Level, u.Offset)
}

// verify compares one table of every level with the library's.
func (j *Job) verify(ctx context.Context) error {
	for level := range lastLevel + 1 {
		i, ok := j.sample(level)
		if !ok {
			continue
		}
		if err := j.verifyTable(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// sample draws a table of a level by the seed.
func (j *Job) sample(level int) (i int, ok bool) {
	var of []int
	for i, t := range j.Tree.Tables {
		if t.Level == level {
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		return 0, false
	}
	return of[dataset.Bounded(dataset.Draw(j.Seed, uint64(level)), uint64(len(of)))], true
}

// verifyTable has the library write table i too, and compares the two.
func (j *Job) verifyTable(ctx context.Context, i int) error {
	model := filepath.Join(j.DB, modelName)
	defer os.Remove(model)
	if err := j.writeModel(ctx, model, i); err != nil {
		return err
	}
	want, err := os.Open(model)
	if err != nil {
		return err
	}
	defer want.Close()
	fi, err := want.Stat()
	if err != nil {
		return err
	}
	table := j.Tree.Tables[i]
	got, err := j.open(i)
	if err != nil {
		return err
	}
	defer got.close()
	at, err := firstDifference(ctx, want, got, fi.Size(), got.size, got.unwritten)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the table %s, or the library's copy of it, ends early: check the disk", j.path(i))
	}
	if err != nil {
		return fmt.Errorf("the table %s cannot be compared with the library's: %w", j.path(i), err)
	}
	if at >= 0 {
		return &Mismatch{Path: j.path(i), Level: table.Level, Offset: at}
	}
	return nil
}

// written is a table as a reader sees it.
type written struct {
	io.ReaderAt
	size      int64
	unwritten extent // the part that is missing: of a virtual table, the filter in the last level
	close     func()
}

// open opens table i.
func (j *Job) open(i int) (w written, err error) {
	path := j.path(i)
	if j.Virtual {
		t, err := j.tables.Table(path, j.Tree.Tables[i].File)
		if err != nil {
			return w, err
		}
		w = written{ReaderAt: t, size: t.Size(), close: func() {}}
		if j.Tree.Tables[i].Level == lastLevel {
			w.unwritten = extent{t.DataSize(), t.IndexStart()}
		}
		return w, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return w, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return w, err
	}
	return written{ReaderAt: f, size: fi.Size(), close: func() { f.Close() }}, nil
}

// extent is a range of a file.
type extent struct{ from, to int64 }

// compareBytes is the number of bytes compared at a time.
const compareBytes = 1 << 18

// firstDifference returns the offset of the first byte outside except that differs, or -1.
func firstDifference(ctx context.Context, a, b io.ReaderAt, sizeA, sizeB int64, except extent) (int64, error) {
	x, y := make([]byte, compareBytes), make([]byte, compareBytes)
	size := min(sizeA, sizeB)
	for at := int64(0); at < size; {
		if at == except.from && except.to > at {
			at = except.to
			continue
		}
		n := min(size-at, compareBytes)
		if at < except.from {
			n = min(n, except.from-at)
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := a.ReadAt(x[:n], at); err != nil {
			return 0, err
		}
		if _, err := b.ReadAt(y[:n], at); err != nil {
			return 0, err
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return at + int64(different(x[:n], y[:n])), nil
		}
		at += n
	}
	if sizeA != sizeB {
		return size, nil
	}
	return -1, nil
}

func different(x, y []byte) int {
	for i := range x {
		if x[i] != y[i] {
			return i
		}
	}
	return len(x)
}

// writeModel has the library write table i's records.
func (j *Job) writeModel(ctx context.Context, path string, i int) error {
	table := j.Tree.Tables[i]
	w, err := j.Engine.NewTable(path, j.Config, table.Level)
	if err != nil {
		return err
	}
	return cmp.Or(j.setAll(ctx, w, i), w.Close())
}

func (j *Job) setAll(ctx context.Context, w engine.TableWriter, i int) error {
	cursor := j.Tree.Cursor(j.Seed, i, 0)
	var key [dataset.KeySize]byte
	var value []byte
	for n := range j.Tree.Tables[i].Keys {
		if n%reportEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		index, seq := cursor.Next(&key)
		value = j.Values.Value(index, value)
		if err := w.Set(key[:], seq, value); err != nil {
			return err
		}
	}
	return nil
}

var _ io.ReaderAt = (*virtual.Table)(nil)
