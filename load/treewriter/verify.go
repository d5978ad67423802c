package treewriter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"getio/engine"
	"getio/workload/dataset"
)

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
	want, err := openFile(model)
	if err != nil {
		return err
	}
	defer want.Close()
	got, err := j.open(i)
	if err != nil {
		return err
	}
	defer got.Close()
	at, err := firstDifference(ctx, want, got)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the table %s, or the library's copy of it, ends early: check the disk", j.path(i))
	}
	if err != nil {
		return fmt.Errorf("the table %s cannot be compared with the library's: %w", j.path(i), err)
	}
	if at >= 0 {
		return fmt.Errorf("the table %s of L%d differs from what the library's own writer makes (from byte %d on): this version of getio cannot write tables for this library, load without --shaped or --virtual",
			j.path(i), j.Tree.Tables[i].Level, at)
	}
	return nil
}

// written is a table as a reader sees it.
type written struct {
	*io.SectionReader
	io.Closer
	unwritten extent // the part that is missing: of a virtual table, the filter in the last level
}

func (j *Job) open(i int) (w written, err error) {
	table := j.Tree.Tables[i]
	if !j.Virtual {
		return openFile(j.path(i))
	}
	t, err := j.tables.Table(j.path(i), table.File)
	if err != nil {
		return w, err
	}
	w = written{SectionReader: io.NewSectionReader(t, 0, t.Size()), Closer: io.NopCloser(nil)}
	if table.Level == lastLevel {
		w.unwritten = extent{t.DataSize(), t.IndexStart()}
	}
	return w, nil
}

func openFile(path string) (w written, err error) {
	f, err := os.Open(path)
	if err != nil {
		return w, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return w, err
	}
	return written{SectionReader: io.NewSectionReader(f, 0, fi.Size()), Closer: f}, nil
}

// extent is a range of a file.
type extent struct{ from, to int64 }

// compareBytes is the number of bytes compared at a time.
const compareBytes = 1 << 18

// firstDifference returns the offset of the first byte at which a table differs that got has to have, or -1.
func firstDifference(ctx context.Context, want, got written) (int64, error) {
	x, y := make([]byte, compareBytes), make([]byte, compareBytes)
	size, except := min(want.Size(), got.Size()), got.unwritten
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
		if _, err := want.ReadAt(x[:n], at); err != nil {
			return 0, err
		}
		if _, err := got.ReadAt(y[:n], at); err != nil {
			return 0, err
		}
		for i := range n {
			if x[i] != y[i] {
				return at + i, nil
			}
		}
		at += n
	}
	if want.Size() != got.Size() {
		return size, nil
	}
	return -1, nil
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
