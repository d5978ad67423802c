package level0

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/ethereum/go-ethereum/ethdb"

	"getio/engine"
	"getio/ethereum/chainload"
	"getio/measure/livecopy"
	"getio/system/tempdir"
)

// Stack is a chain's copies with growing numbers of additional L0 tables. Tables that copies
// share are hard links to one file.
type Stack struct {
	Base uint64 // newest block of the chain itself
	// copies[n] has n additional tables, and newest[n] is its newest block.
	copies []*livecopy.Copy
	newest []uint64
	// all is the directory of the copies.
	all *tempdir.Dir
}

// copiesPrefix names the directories of copies, beside the chain's database.
const copiesPrefix = ".getio-l0-"

// Limits of a table's contents. Making a table takes four times its size in memory.
const (
	MinTableBytes = 16 << 10
	MaxTableBytes = 256 << 20
)

// library is what a library does about L0.
type library struct {
	// limits are options: the number of tables that starts a compaction and those that delay or stop writes.
	limits []string
	// most is the largest number of tables that it leaves alone. Pebble compacts L0 at 500 files, whatever its
	// threshold (options.go, L0CompactionFileThreshold).
	most int
}

var (
	pebble    = library{[]string{"l0_compaction_threshold", "l0_stop_writes_threshold"}, 400}
	libraries = map[string]library{
		"pebblev1": pebble, "pebblev2": pebble,
		"goleveldb": {[]string{"l0_compaction_trigger", "l0_slowdown_trigger", "l0_pause_trigger"}, 2000},
	}
)

// spare is the size of the memtable relative to a table's contents, so that only an explicit
// flush writes a table.
const spare = 4

// Grow adds tables to a copy of the chain with an empty L0, and keeps a copy at each number.
// The chain itself is only read. Close removes the copies.
func (r *Run) Grow(ctx context.Context, tables int) (s *Stack, err error) {
	tempdir.RemoveAbandoned(r.Dir, copiesPrefix) // leftovers that cannot be removed do no harm
	s = &Stack{Base: r.Made.Plan.Blocks}
	if s.all, err = tempdir.New(r.Dir, copiesPrefix); err != nil {
		return nil, fmt.Errorf("cannot write copies of the chain to %s (%w): copy the chain to where you can write", r.Dir, err)
	}
	if err := r.grow(ctx, s, tables); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// grow copies the chain, empties its L0, and grows the other copies from that.
func (r *Run) grow(ctx context.Context, s *Stack, tables int) error {
	if err := s.keep(ctx, chainload.StoreDir(r.Dir), s.Base); err != nil {
		return err
	}
	limits := libraries[r.Engine.Name()].limits
	settle := func(l engine.Loader) error { return l.Settle(ctx, nil) }
	if err := r.write(s.Dir(0), []string{limits[0] + "=1"}, settle); err != nil || tables == 0 {
		return err
	}
	growing, err := livecopy.TakeIn(ctx, s.all.Path, s.Dir(0))
	if err != nil {
		return err
	}
	defer growing.Close()
	options := []string{fmt.Sprintf("memtable_size=%d", spare*r.TableBytes)}
	for _, limit := range limits {
		options = append(options, fmt.Sprintf("%s=%d", limit, 1<<20))
	}
	return r.write(growing.Dir, options, func(l engine.Loader) error { return r.lay(ctx, s, tables, l, growing.Dir) })
}

// write is chainload.Write that explains a full disk.
func (r *Run) write(dir string, options []string, work func(engine.Loader) error) error {
	err := chainload.Write(r.Engine, dir, options, work)
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space left for L0 tables beside the chain (%w): free some, or ask for fewer or smaller tables", err)
	}
	return err
}

// lay adds tables and takes a copy after each.
func (r *Run) lay(ctx context.Context, s *Stack, tables int, loader engine.Loader, dir string) error {
	blocks := chainload.Extend(r.Made)
	for n := range tables {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.addTable(loader, blocks); err != nil {
			return err
		}
		if err := s.keep(ctx, dir, blocks.Newest()); err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress(n+1, tables)
		}
	}
	return nil
}

// keep takes a copy of the store in dir, whose newest block is given.
func (s *Stack) keep(ctx context.Context, dir string, newest uint64) error {
	taken, err := livecopy.TakeIn(ctx, s.all.Path, dir)
	if err == nil {
		s.copies, s.newest = append(s.copies, taken), append(s.newest, newest)
	}
	return err
}

func (r *Run) addTable(loader engine.Loader, blocks *chainload.Extension) error {
	to := &writer{batch: loader.NewBatch()}
	defer to.batch.Close()
	for to.bytes < r.TableBytes {
		blocks.Next(to)
		if to.err != nil {
			return to.err
		}
	}
	if err := to.batch.Commit(); err != nil {
		return err
	}
	return loader.Flush()
}

// writer lets core/rawdb write to a batch.
type writer struct {
	batch engine.Batch
	bytes int64
	err   error // core/rawdb exits the process if a write fails
}

var _ ethdb.KeyValueWriter = (*writer)(nil)

func (w *writer) Put(key, value []byte) error {
	w.bytes += int64(len(key) + len(value))
	w.err = errors.Join(w.err, w.batch.Set(key, value))
	return nil
}

// Delete is not called: writing blocks deletes nothing.
func (w *writer) Delete([]byte) error {
	w.err = errors.Join(w.err, errors.ErrUnsupported)
	return nil
}

func (s *Stack) Tables() int { return len(s.copies) - 1 }

// Dir is the copy with n additional tables.
func (s *Stack) Dir(n int) string { return s.copies[n].Dir }

// Newest is the newest block of the copy with n additional tables.
func (s *Stack) Newest(n int) uint64 { return s.newest[n] }

// Close removes the copies.
func (s *Stack) Close() (err error) {
	for _, c := range s.copies {
		err = errors.Join(err, c.Close())
	}
	return errors.Join(err, s.all.Remove())
}
