package treewriter

import (
	"context"
	"os"

	"getio/engine/rowtable"
	"getio/engine/virtual"
	"getio/workload/dataset"
)

const (
	writeBytes  = 1 << 20 // minimum size of a write of data blocks
	reportEvery = 1 << 16 // keys between two progress reports and context checks
	partSuffix  = ".part" // of a table that is not complete
)

// tableWriter writes tables to their files, one after another.
type tableWriter struct {
	job    *Job
	done   *progressLedger
	writer [2]*rowtable.Writer    // one for the levels above the last, one for the last
	choice func(index uint64) int // nil if values do not come from a pool
	pool   [][]byte
	value  []byte
}

func (j *Job) newTableWriter(done *progressLedger) *tableWriter {
	w := &tableWriter{job: j, done: done}
	opts := rowtable.Options{LengthsOnly: j.Virtual, Incompressible: j.Values.Kind() == dataset.ValuesRandom}
	w.pool, w.choice = j.Values.Pool()
	for last := range w.writer {
		opts.FilterSizeOnly = j.Virtual && last == 1
		w.writer[last] = rowtable.NewWriter(opts)
	}
	return w
}

// write writes table i. A file has its final name only once it is complete.
func (w *tableWriter) write(ctx context.Context, i int) (err error) {
	path := w.job.path(i)
	f, err := os.Create(path + partSuffix)
	if err != nil {
		return err
	}
	if err := w.writeTo(ctx, f, i); err != nil {
		f.Close()
		os.Remove(path + partSuffix)
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path+partSuffix, path)
}

func (w *tableWriter) writeTo(ctx context.Context, f *os.File, i int) error {
	table := &w.job.Tree.Tables[i]
	last := 0
	if table.Level == lastLevel {
		last = 1
	}
	writer := w.writer[last]
	writer.Begin(&w.job.forms[table.Level])
	cursor := w.job.Tree.Cursor(w.job.Seed, i, 0)
	var key [dataset.KeySize]byte
	for n := uint64(0); n < table.Keys; {
		upTo := min(n+reportEvery, table.Keys)
		for ; n < upTo; n++ {
			index, seq := cursor.Next(&key)
			if w.choice != nil {
				writer.Add(&key, seq, w.pool[w.choice(index)])
			} else {
				w.value = w.job.Values.Value(index, w.value)
				writer.Add(&key, seq, w.value)
			}
			if writer.Pending() >= writeBytes {
				if _, err := f.Write(writer.Take()); err != nil {
					return err
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if n < table.Keys {
			w.done.progress(reportEvery)
		} else {
			w.done.progress(table.Keys % reportEvery)
		}
	}
	tail := writer.Finish()
	if w.job.Virtual {
		return writeVirtual(f, tail)
	}
	if _, err := f.Write(writer.Take()); err != nil {
		return err
	}
	_, err := f.Write(tail.Bytes)
	return err
}

// writeVirtual writes a table's tail at its offset, and a header in place of the data blocks.
func writeVirtual(f *os.File, tail *rowtable.Tail) error {
	if _, err := f.WriteAt(tail.Bytes, int64(tail.Size)-int64(len(tail.Bytes))); err != nil {
		return err
	}
	_, err := f.WriteAt(virtual.EncodeHeader(tail), 0)
	return err
}
