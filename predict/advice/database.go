package advice

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"getio/client/chaindata"
	"getio/engine"
	"getio/engine/pebble/pebbledb"
	"getio/measure/database"
	"getio/numbers/interval"
	"getio/predict/cachesim"
	"getio/predict/replay"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/record"
	"getio/workload"
)

// Describe fills in what the database says: its shape and table format, the smallest cache, the
// open tables and, if getio did not make it, whether it is geth's and the cache with which it was last opened.
func (q *Question) Describe(d *database.Database) error {
	library, err := replay.LibraryOf(d)
	if err != nil {
		return err
	}
	_, q.fromShape = library.(cachesim.Pebble)
	info, shape := d.Info(), d.OwnShape()
	options := d.Config.Effective()
	q.OpenFiles = twin.OpenFiles(d.Config.Effective())
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: info.MinCacheBytes})
	if err != nil {
		return err
	}
	defer db.Close()
	q.Floor, q.Reserved = info.MinCacheBytes, db.Cache().Reserved+db.Cache().Pinned
	if d.Manifest == nil {
		if q.Geth, err = chaindata.Recognise(db); err != nil {
			return err
		}
		q.FirstMemtable = d.Live() && pebbledb.FirstMemtable(d.Dir)
		q.lastOpened(d, info.OptionsFile)
		if info.OptionsFile != nil {
			options = formatOptions(info.OptionsFile)
		}
	}
	q.Source, q.Library, q.Shape = d.Dir, d.Engine.Name(), shape
	format, known := scenario.TableFormat(q.Library, options).WithSizesOf(shape)
	switch {
	case shape.Total().Tables == 0:
		return fmt.Errorf("%s has no tables yet, so no Get reads any: try again when it has some", d.Dir)
	case q.FromShape() && !known:
		return fmt.Errorf("%s has no records: there is nothing to advise on", d.Dir)
	}
	q.Layout = format
	q.Shards = func(bytes int64) int { return library.Shards(bytes, runtime.GOMAXPROCS(0)) }
	return nil
}

// FromShape reports whether the reads of equally popular keys follow from the shape of the tree. If
// they do not, they must be made.
func (q *Question) FromShape() bool { return q.fromShape }

// lastOpened takes the cache and the number of open files from the database's own options file.
func (q *Question) lastOpened(d *database.Database, options map[string]string) {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(options["Options."+name], 10, 64)
		return n
	}
	memtables := pebbledb.RunningMemtables * number("mem_table_size")
	if d.Live() {
		memtables = pebbledb.RunningMemtableBytes(d.Dir, q.pebbleVersion(), number("mem_table_size"))
	}
	if present := q.Reserved + number("cache_size") - memtables; present >= q.Floor && number("cache_size") > 0 {
		q.Present = present
	}
	if files := number("max_open_files"); files > 0 {
		q.OpenFiles = files
	}
}

// pebbleVersion is the version of the library, if it is Pebble.
func (q *Question) pebbleVersion() int {
	if q.Library == "pebblev1" {
		return 1
	}
	return 2
}

// formatOptions returns the options for the format of tables that an options file states.
func formatOptions(written map[string]string) map[string]string {
	options := map[string]string{}
	for _, name := range []string{"block_size", "index_block_size", "block_restart_interval"} {
		options[name] = written[`Level "0".`+name]
	}
	return options
}

// Observe samples the tree as predictions need it, and makes Gets of the database's own keys: their accesses check the
// prediction. With 0 Gets nothing does.
func (q *Question) Observe(ctx context.Context, d *database.Database, gets int64, progress database.SampleProgress) error {
	library, err := twin.LibraryOf(q.Library, d.Config.Effective())
	if err != nil {
		return err
	}
	if q.Shape, err = d.ShapeToPredict(ctx, progress); err != nil {
		return err
	}
	q.Layout, _ = q.Layout.WithSizesOf(q.Shape)
	switch {
	case gets == 1:
		return errors.New("invalid --gets 1: want 2 or more, or 0 for no check")
	case gets > 0:
		own, err := d.Gets(workload.Keys{Seed: q.Keys.Seed})
		if err != nil {
			return err
		}
		defer own.Close()
		run := replay.Run{Warmup: gets / 2, Gets: gets - gets/2, Progress: func(done int64) { progress("observe", uint64(done), uint64(gets), "Gets") }}
		recording, err := run.Record(ctx, d.Store, own)
		if err != nil {
			return err
		}
		q.Trial = q.trial(recording, run, library.Cache)
	}
	if q.Tree, err = twin.NewTree(q.Shape, twin.Options{Library: library, BlockBytes: q.Layout.DataBlockBytes}); err != nil {
		return fmt.Errorf("nothing can be predicted for %s: %w", d.Dir, err)
	}
	return nil
}

// trial replays recorded Gets with any cache.
func (q *Question) trial(recording *replay.Recording, run replay.Run, library cachesim.Library) *Trial {
	return &Trial{
		AdviceTrial: record.AdviceTrial{WarmupGets: run.Warmup, Gets: run.Gets, Seed: q.Keys.Seed},
		IOsPerGet: func(ctx context.Context, caches []twin.Cache) ([]interval.Estimate, error) {
			var own []replay.Cache
			for _, c := range caches {
				own = append(own, replay.Cache{Bytes: c.Bytes + q.Reserved, Reserved: q.Reserved, Shards: c.Shards})
			}
			counts, err := recording.Curve(ctx, library, own)
			ios := make([]interval.Estimate, len(counts))
			for i := range counts {
				ios[i] = run.Estimate(&counts[i])
			}
			return ios, err
		},
	}
}
