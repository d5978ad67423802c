package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"getio/advice"
	"getio/cachesim"
	"getio/database"
	"getio/engine/engines"
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
	d, err := database.Open(c.Context(), engines.All(), dir, a.load.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := askOfDatabase(&q, d); err != nil {
		return err
	}
	if gets > 1 {
		own, err := d.Gets(database.Ask{Seed: a.seed})
		if err != nil {
			return err
		}
		defer own.Close()
		m := newMeter()
		defer m.finish()
		q.Trial = &advice.Trial{Warmup: gets / 2, Gets: gets - gets/2, Seed: a.seed}
		run := replay.Run{Warmup: q.Trial.Warmup, Gets: q.Trial.Gets}
		run.Progress = func(done int64) { m.show("check", uint64(done), uint64(gets), "Gets", "") }
		q.Trial.IOsPerGet = func(ctx context.Context, caches []twin.Cache) ([]float64, error) {
			counts, err := run.Curve(ctx, d.Store, own, replayCaches(caches, q.Reserved))
			ios := make([]float64, len(counts))
			for i := range counts {
				ios[i] = float64(counts[i].Misses.Sum()) / float64(run.Gets)
			}
			return ios, err
		}
	}
	return a.ask(c, q)
}

// askOfDatabase fills in the question what the database says.
func askOfDatabase(q *advice.Question, d *database.Database) error {
	library, err := libraryOf(d.Engine)
	if err != nil {
		return err
	}
	info, shape := d.Store.Info(), d.Store.Shape()
	effective := d.Config.Effective()
	layout, known := layoutOf(effective).Of(shape)
	if !known {
		return fmt.Errorf("%s has no records: there is nothing to advise on", d.Dir)
	}
	tree, err := twin.NewTree(shape, twin.Options{Library: library, BlockBytes: layout.DataBlockBytes})
	if err != nil {
		return err
	}
	q.Subject = twin.Subject{
		Of: d.Dir, Library: d.Engine.Name(), Shape: shape, Tree: tree, Workload: q.Workload, Reserved: memtableReserve,
	}
	q.Layout = layout
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

// replayCaches are the library's own caches of the same sizes.
func replayCaches(caches []twin.Cache, reserved int64) (list []replay.Cache) {
	for _, c := range caches {
		list = append(list, replay.Cache{Bytes: c.Bytes + reserved, Reserved: reserved, Shards: c.Shards})
	}
	return list
}
