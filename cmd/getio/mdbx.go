package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/client/mdbxdata"
	"getio/cmd/progress"
	"getio/cmd/usage"
	"getio/engine/lsm"
	"getio/record"
	"getio/statedb/clientdb"
)

// onDatabase is the RunE of a command for a directory: what it does with the database of an engine
// and with one of MDBX; nil if it does nothing with the latter.
func onDatabase(engine, mdbx func(c *cobra.Command, dir string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		at, found := mdbxdata.Find(args[0])
		switch {
		case !found && c.Flags().Changed("table"):
			return usage.Errorf("--table does not apply to %s, which is not an MDBX database: leave it out", args[0])
		case !found || c.Flags().Changed("engine"):
			return engine(c, args[0])
		case mdbx == nil:
			return fmt.Errorf("%s, which %s does not read: inspect, measure and sweep do", mdbxdata.Describe(at), c.Name())
		}
		return mdbx(c, at)
	}
}

// refuseForMDBX refuses flags other than those that bear on an MDBX database.
func refuseForMDBX(c *cobra.Command, dir string, known ...string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(known, f.Name) {
			err = usage.Errorf("--%s does not apply to %s, which is an MDBX database: leave it out", f.Name, dir)
		}
	})
	return err
}

// runMDBX measures the MDBX database in dir with each cache, keeps the results in the file out, and
// prints them.
func (r *runFlags) runMDBX(c *cobra.Command, dir, out string, caches []lsm.CacheSize, print func(io.Writer, []*record.Result) error) error {
	work := r.workload
	_, err := identify(c, &work.Keys)
	if err = cmp.Or(refuseForMDBX(c, dir, "absent", "cache", "gets", "hotset", "json", "out", "seed", "table", "warmup", "zipf"), err); err != nil {
		return err
	}
	m := progress.Meter(c)
	defer m.Finish()
	p := clientdb.Plan{
		Dir: dir, Tables: r.tables, Caches: caches, Workload: work,
		State: counterState, Journal: record.Journal{Path: out}, Progress: m.Show,
	}
	p.Finish = func(result *record.Result) error {
		m.Finish()
		return progress.Line(c, r.json, result)
	}
	results, err := p.Run(c.Context())
	progress.Reused(c, &p.Journal)
	if err == nil && !r.json {
		err = print(c.OutOrStdout(), results)
	}
	return cmp.Or(err, believable(results...))
}
