package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/advice"
	"getio/cachesim"
	"getio/database"
	"getio/engine/engines"
	"getio/lsm"
	"getio/replay"
	"getio/twin"
)

// ofDatabase advises on a database that is there.
func (a *adviseFlags) ofDatabase(c *cobra.Command, dir string, q advice.Question) error {
	if a.trees() > 0 {
		return errTwoTrees
	}
	gets, err := parseCount("--gets", a.gets)
	if err != nil {
		return err
	}
	if gets > maxRecorded {
		return fmt.Errorf("--gets %s are more than can be kept in memory: take at most %s", humanize.Comma(gets), humanize.Comma(maxRecorded))
	}
	d, err := database.Open(c.Context(), engines.All(), dir, a.load.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	library, err := libraryOf(d.Engine)
	if err != nil {
		return err
	}
	var rec *replay.Recording
	if gets > 1 {
		run := replay.Run{Warmup: gets / 2, Gets: gets - gets/2}
		if rec, err = a.record(c, d, run); err != nil {
			return err
		}
		q.Trial = trialOf(rec, run, a.seed, memtableReserve)
	}
	if err := askOf(&q, d, library, rec); err != nil {
		return err
	}
	return a.ask(c, q)
}

// maxRecorded Gets take some GiB.
const maxRecorded = 10_000_000

// record makes Gets of the database's own keys.
func (a *adviseFlags) record(c *cobra.Command, d *database.Database, run replay.Run) (*replay.Recording, error) {
	own, err := d.Gets(database.Ask{Seed: a.seed})
	if err != nil {
		return nil, err
	}
	defer own.Close()
	m := newMeter()
	defer m.finish()
	run.Progress = func(done int64) { m.show("look", uint64(done), uint64(run.Warmup+run.Gets), "Gets", "") }
	return run.Record(c.Context(), d.Store, own)
}

// trialOf is the trial of Gets that were made.
func trialOf(rec *replay.Recording, run replay.Run, seed uint64, reserved int64) *advice.Trial {
	return &advice.Trial{
		Warmup: run.Warmup, Gets: run.Gets, Seed: seed,
		IOsPerGet: func(ctx context.Context, caches []twin.Cache) ([]float64, error) {
			var own []replay.Cache
			for _, c := range caches {
				own = append(own, replay.Cache{Bytes: c.Bytes + reserved, Reserved: reserved, Shards: c.Shards})
			}
			counts, err := rec.Curve(ctx, own)
			ios := make([]float64, len(counts))
			for i := range counts {
				ios[i] = float64(counts[i].Misses.Sum()) / float64(run.Gets)
			}
			return ios, err
		},
	}
}

// askOf fills in the question what the database says, and what was seen of it.
func askOf(q *advice.Question, d *database.Database, library twin.Library, rec *replay.Recording) error {
	info, shape := d.Store.Info(), shapeOf(d)
	effective := d.Config.Effective()
	layout, known := layoutOf(effective).Of(shape)
	if !known {
		return fmt.Errorf("%s has no records: there is nothing to advise on", d.Dir)
	}
	o := twin.Options{Library: library, BlockBytes: layout.DataBlockBytes}
	if rec != nil {
		levels := map[int][]lsm.Table{}
		for _, l := range shape.Levels {
			levels[l.Level] = l.TableList
		}
		records := shape.Total().Records
		o.Weight = func(level int, t lsm.Table) float64 { return rec.Profile.Weight(t, levels[level], records) }
		o.Segments = func(level int, t lsm.Table) []lsm.Segment { return rec.Profile.Segments(t.File, levels[level]) }
	}
	tree, err := twin.NewTree(shape, o)
	if err != nil {
		return fmt.Errorf("nothing can be predicted for %s: %w", d.Dir, err)
	}
	q.Subject = twin.Subject{
		Of: d.Dir, Library: d.Engine.Name(), Shape: shape, Tree: tree, Workload: q.Workload, Reserved: memtableReserve,
	}
	q.Layout, q.Floor = layout, info.CacheFloor
	q.Shards = func(bytes int64) int { return cachesim.PebbleShards(bytes, runtime.GOMAXPROCS(0)) }
	q.OpenFiles, _ = strconv.ParseInt(effective["max_open_files"], 10, 64)
	if d.Manifest == nil {
		q.Geth = true
		written(q, info.Written)
	}
	return nil
}

// written takes over what the database was last opened with: the room that its
// cache had beside one memtable, and how many files it kept open.
func written(q *advice.Question, options map[string]string) {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(options["Options."+name], 10, 64)
		return n
	}
	if room := number("cache_size") - number("mem_table_size"); room > 0 {
		q.Present = q.Reserved + room
	}
	if files := number("max_open_files"); files > 0 {
		q.OpenFiles = files
	}
}
