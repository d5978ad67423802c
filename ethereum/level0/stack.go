package level0

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/ethereum/go-ethereum/ethdb"

	"getio/engine"
	"getio/engine/loading"
	"getio/ethereum/chainload"
	"getio/measure/livecopy"
	"getio/record"
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

// Job makes a stack.
type Job struct {
	Engine engine.Engine
	Dir    string // of a chain made by getio
	Made   *record.ChainMade
	// TableBytes is the size of the blocks, receipts and index entries in each table,
	// MinTableBytes to MaxTableBytes.
	TableBytes int64
	// Progress, if set, is called after each table.
	Progress func(tables, of int)
}

// Limits of a table's contents. Making a table takes four times its size in memory.
const (
	MinTableBytes = 16 << 10
	MaxTableBytes = 256 << 20
)

// holdOptions are options, by engine, that neither compact L0 nor stop writes below a number
// of tables.
var holdOptions = map[string]func(tables int) []string{
	"pebblev1":  holdPebble,
	"pebblev2":  holdPebble,
	"goleveldb": holdLevelDB,
}

// emptyOptions make a library compact all L0 tables.
var emptyOptions = map[string][]string{
	"pebblev1":  {"l0_compaction_threshold=1"},
	"pebblev2":  {"l0_compaction_threshold=1"},
	"goleveldb": {"l0_compaction_trigger=1"},
}

func holdPebble(tables int) []string {
	return []string{fmt.Sprintf("l0_compaction_threshold=%d", tables), fmt.Sprintf("l0_stop_writes_threshold=%d", tables)}
}

func holdLevelDB(tables int) []string {
	return []string{
		fmt.Sprintf("l0_compaction_trigger=%d", tables), fmt.Sprintf("l0_slowdown_trigger=%d", tables), fmt.Sprintf("l0_pause_trigger=%d", tables),
	}
}

// maxTables is the largest number of L0 tables that a library leaves alone. Pebble compacts
// L0 at 500 files, whatever its threshold (options.go, L0CompactionFileThreshold).
var maxTables = map[string]int{"pebblev1": 400, "pebblev2": 400, "goleveldb": 2000}

// spare is the size of the memtable relative to a table's contents, so that only an explicit
// flush writes a table.
const spare = 4

// Grow adds tables to a copy of the chain with an empty L0, and keeps a copy at each number.
// The chain itself is only read. Close removes the copies.
func (j *Job) Grow(ctx context.Context, tables int) (s *Stack, err error) {
	tempdir.RemoveAbandoned(j.Dir, copiesPrefix) // leftovers that cannot be removed do no harm
	s = &Stack{Base: j.Made.Plan.Blocks}
	if s.all, err = tempdir.New(j.Dir, copiesPrefix); err != nil {
		return nil, fmt.Errorf("cannot write copies of the chain to %s (%w): copy the chain to where you can write", j.Dir, err)
	}
	if err := j.growFrom(ctx, s, tables); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// growFrom copies the chain, empties its L0, and grows the other copies from that.
func (j *Job) growFrom(ctx context.Context, s *Stack, tables int) error {
	base, err := livecopy.TakeIn(ctx, s.all.Path, chainload.StoreDir(j.Dir))
	if err != nil {
		return err
	}
	s.copies, s.newest = []*livecopy.Copy{base}, []uint64{s.Base}
	if err := j.empty(ctx, base.Dir); err != nil {
		return err
	}
	return j.grow(ctx, s, tables)
}

// empty compacts all L0 tables.
func (j *Job) empty(ctx context.Context, dir string) error {
	loader, err := j.resume(dir, emptyOptions[j.Engine.Name()])
	if err != nil {
		return err
	}
	return guarded(loader, func() error { return errors.Join(loader.Settle(ctx, nil), loader.Close()) })
}

// guarded runs work until it returns or the library fails. It explains a full disk.
func guarded(loader engine.Loader, work func() error) error {
	err := loading.Guard(loader, work)
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("no space left for L0 tables beside the chain (%w): free some, or ask for fewer or smaller tables", err)
	}
	return err
}

// resume opens a copy for writing with geth's configuration, changed by options.
func (j *Job) resume(dir string, options []string) (engine.Loader, error) {
	cfg, err := j.Engine.Configure(chainload.Preset(j.Engine.Name()), options)
	if err != nil {
		return nil, err
	}
	return j.Engine.Resume(dir, cfg)
}

func (j *Job) grow(ctx context.Context, s *Stack, tables int) error {
	if tables == 0 {
		return nil
	}
	growing, err := livecopy.TakeIn(ctx, s.all.Path, s.Dir(0))
	if err != nil {
		return err
	}
	defer growing.Close()
	loader, err := j.resume(growing.Dir, append(holdOptions[j.Engine.Name()](1<<20), fmt.Sprintf("memtable_size=%d", spare*j.TableBytes)))
	if err != nil {
		return err
	}
	return guarded(loader, func() error {
		return errors.Join(j.lay(ctx, s, tables, loader, growing.Dir), loader.Close())
	})
}

// lay adds tables and takes a copy after each.
func (j *Job) lay(ctx context.Context, s *Stack, tables int, loader engine.Loader, dir string) error {
	blocks := chainload.Extend(j.Made)
	for n := range tables {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := j.addTable(loader, blocks); err != nil {
			return err
		}
		snapshot, err := livecopy.TakeIn(ctx, s.all.Path, dir)
		if err != nil {
			return err
		}
		s.copies, s.newest = append(s.copies, snapshot), append(s.newest, blocks.Newest())
		if j.Progress != nil {
			j.Progress(n+1, tables)
		}
	}
	return nil
}

// addTable writes blocks until a table is full.
func (j *Job) addTable(loader engine.Loader, blocks *chainload.Extension) error {
	to := &writer{batch: loader.NewBatch()}
	defer to.batch.Close()
	for to.bytes < j.TableBytes {
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

// Put implements ethdb.KeyValueWriter.
func (w *writer) Put(key, value []byte) error {
	w.bytes += int64(len(key) + len(value))
	w.err = errors.Join(w.err, w.batch.Set(key, value))
	return nil
}

// Delete implements ethdb.KeyValueWriter. Writing blocks deletes nothing.
func (w *writer) Delete([]byte) error {
	w.err = errors.Join(w.err, errors.ErrUnsupported)
	return nil
}

// Tables is the largest number of additional tables.
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
