package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"getio/database"
	"getio/engine"
	"getio/engine/engines"
	"getio/lsm"
	"getio/measure"
	"getio/record"
	"getio/report"
)

type sweepFlags struct {
	runFlags
	cache string
	out   string
}

func sweepCommand() *cobra.Command {
	var s sweepFlags
	c := &cobra.Command{
		Use:   "sweep DIR",
		Short: "The curve: I/Os per Get against cache size, each size in a fresh open",
		Long: `sweep measures a database at several cache sizes, by default ten from 0.1% to 3%
of it, IP1 and IP2 among them, and says which cache is needed for about two and
about one I/Os per Get. Each result is added to a JSON Lines file when it is
there; sizes that the file has are not measured again.`,
		Example: `  getio sweep data/10m
  getio sweep /var/lib/geth/chaindata --cache 0.1%,0.5%,2% --out mainnet.jsonl`,
		Args: directory,
		RunE: func(c *cobra.Command, args []string) error {
			w, err := s.watch.begin(c)
			if err != nil {
				return err
			}
			defer w.end()
			_, err = s.run(c, args[0], w)
			return err
		},
	}
	c.Flags().StringVar(&s.cache, "cache", "", "cache sizes, comma-separated (default: ten from 0.1% to 3%, IP1 and IP2 among them)")
	c.Flags().StringVar(&s.out, "out", "", "JSON Lines file of the results (default: NAME.sweep.jsonl in this directory)")
	s.register(c)
	return c
}

func (s *sweepFlags) run(c *cobra.Command, dir string, w *watch) ([]*record.Result, error) {
	opts, ask, err := s.parse()
	if err != nil {
		return nil, err
	}
	way, err := s.device.layer()
	if err != nil {
		return nil, err
	}
	var sizes []measure.CacheSize
	if s.cache != "" {
		if err := checkShare("--cache", s.cache, "database"); err != nil {
			return nil, err
		}
		if sizes, err = measure.ParseCacheSizes(s.cache); err != nil {
			return nil, err
		}
	}
	out := s.out
	if out == "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		out = filepath.Base(abs) + ".sweep.jsonl"
	}
	done, err := readRecords(out)
	if err != nil {
		return nil, err
	}
	d, err := database.Open(c.Context(), engines.All(), dir, s.choice)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := requireOutside(out, d, "--out"); err != nil {
		return nil, err
	}
	bytes, err := cacheBytes(sizes, d.Store.Shape(), d.Store.Info().CacheFloor)
	if err != nil {
		return nil, err
	}
	sweep := measure.Sweep{Database: d, Ask: ask, Options: opts, Done: done}
	for _, n := range bytes {
		sweep.Caches = append(sweep.Caches, engine.OpenConfig{CacheBytes: n, Shards: s.shards, Device: way})
	}
	results, err := (&keptSweep{Sweep: sweep, out: out, json: s.json}).run(c, w)
	if err != nil {
		return results, err
	}
	if !s.json {
		if err := s.print(c.OutOrStdout(), results, out); err != nil {
			return results, err
		}
	}
	return results, believable(results...)
}

// print writes the table, the curve and where the records are.
func (s *sweepFlags) print(w io.Writer, results []*record.Result, out string) error {
	err := report.Sweep(w, results)
	if err == nil {
		_, err = fmt.Fprintln(w)
	}
	if err == nil {
		err = report.Curve(w, results)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "\nRecords: %s\n", out)
	}
	return err
}

// cacheBytes are the sizes to sweep, ascending.
func cacheBytes(sizes []measure.CacheSize, shape *lsm.Shape, floor int64) ([]int64, error) {
	if len(sizes) == 0 {
		tooLarge := func(n int64) bool { return checkMemory(n) != nil }
		return slices.DeleteFunc(measure.DefaultSizes(shape, floor), tooLarge), nil
	}
	var bytes []int64
	for _, size := range sizes {
		n, err := size.Bytes(shape)
		if err == nil {
			err = checkMemory(n)
		}
		if err != nil {
			return nil, err
		}
		bytes = append(bytes, n)
	}
	slices.Sort(bytes)
	return slices.Compact(bytes), nil
}
