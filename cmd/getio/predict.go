package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/record"
	"getio/report"
)

type predictFlags struct {
	subjectFlags
	cache     string
	gets      string
	warmup    string
	most      string
	shards    int
	allShards bool
	policy    string
	absent    string
	popularityFlags
	seed   uint64
	steady bool
	json   bool
}

func predictCommand() *cobra.Command {
	var p predictFlags
	c := &cobra.Command{
		Use:   "predict --dataset NAME | --shape FILE | --keys N",
		Short: "What Gets will read, from the shape of a tree alone",
		Long: `predict walks Gets down the shape of a tree: one of the published databases, one
that 'getio inspect DIR --shape FILE' wrote, or the one that so many keys grow
into. It simulates which blocks they ask for and what a block cache of Pebble's
kind, shards and all, has to read of them, and says which reads no cache could
avoid, which a larger one would, and which a better choice of blocks.

With --steady it works out the steady state instead, in milliseconds: what a
cache reads that holds, of all blocks, those that are asked for most per byte.
Pebble's comes close to that between IP1 and IP2, and never reads less.`,
		Example: `  getio predict --dataset small
  getio predict --shape mainnet.json --cache 512MiB,2GiB,8GiB --gets 5M
  getio predict --keys 5B --cache 0.5GiB,2GiB,16GiB --steady`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return p.run(c) },
	}
	f := c.Flags()
	p.subjectFlags.register(c)
	f.StringVar(&p.whatIf, "what-if", "", "changes, comma-separated: "+strings.Join(whatIfs, ", "))
	f.StringVar(&p.cache, "cache", "", "cache sizes like 45MiB, IP1 or IP2, comma-separated (default: the published ones, or some from IP1 to twice IP2)")
	f.StringVar(&p.gets, "gets", "", "Gets of the window that is predicted (default: 10M for a published database, else 1M, or more where the tree is large)")
	f.StringVar(&p.warmup, "warmup", "0.05%", "Gets before them, a number or a share of the keys")
	f.StringVar(&p.most, "until-steady", "0", "go on, for the steady state, to so many Gets at most")
	f.IntVar(&p.shards, "shards", 0, "shards of the block cache (default: the published number, or what Pebble takes on this machine)")
	f.BoolVar(&p.allShards, "all-shards", false, "simulate every shard, not a sample of them where there are 64 or more")
	f.StringVar(&p.policy, "policy", cachesim.NameClockPro, "what the cache holds: "+strings.Join(cachesim.Names(), ", "))
	f.StringVar(&p.absent, "absent", "0%", "share of the Gets that ask for keys that are not there")
	p.popularityFlags.register(c)
	f.Uint64Var(&p.seed, "seed", 1, "seed of the Gets, and of how a planned tree's tables lie")
	f.BoolVar(&p.steady, "steady", false, "work out the steady state instead of simulating Gets")
	f.BoolVar(&p.json, "json", false, "print getio.prediction/1 records instead, one per line")
	return c
}

func (p *predictFlags) run(c *cobra.Command) error {
	workload, err := p.workload()
	if err != nil {
		return err
	}
	s, err := p.subject(p.seed, workload)
	if err != nil {
		return err
	}
	sizes, err := p.sizes(s)
	if err != nil {
		return err
	}
	var predictions []*record.Prediction
	if p.steady {
		predictions, err = p.workOut(c, s, sizes)
	} else {
		predictions, err = p.simulate(c, s, sizes)
	}
	if err != nil {
		return err
	}
	return printPredictions(c, predictions, p.json)
}

func printPredictions(c *cobra.Command, list []*record.Prediction, asJSON bool) error {
	if !asJSON {
		return report.Predictions(c.OutOrStdout(), list)
	}
	for _, p := range list {
		if err := record.WriteLine(c.OutOrStdout(), p); err != nil {
			return err
		}
	}
	return nil
}

// workload reads the flags that say which keys are asked for.
func (p *predictFlags) workload() (twin.Workload, error) {
	ask, err := (&askFlags{absent: p.absent, popularityFlags: p.popularityFlags}).ask()
	return twin.Workload{Absent: ask.Absent, Popularity: ask.Popularity, Seed: p.seed}, err
}

// workOut gives the steady states.
func (p *predictFlags) workOut(c *cobra.Command, s *subject, sizes []int64) (list []*record.Prediction, err error) {
	for _, name := range []string{"gets", "warmup", "until-steady", "shards", "all-shards", "policy"} {
		if c.Flags().Changed(name) {
			return nil, fmt.Errorf("--%s is of a simulation, and --steady makes none: leave one out", name)
		}
	}
	if !s.Workload.Popularity.Uniform() {
		return nil, errors.New("--steady is for keys that are equally popular: leave out --zipf and --hotset, or simulate with --until-steady N")
	}
	steady := twin.NewSteady(s.Tree, s.Workload.Absent)
	for _, bytes := range sizes {
		list = append(list, s.SteadyRecord(steady, bytes-s.Reserved))
	}
	return list, nil
}

// simulate gives the predictions of the twin.
func (p *predictFlags) simulate(c *cobra.Command, s *subject, sizes []int64) (list []*record.Prediction, err error) {
	plan, err := p.plan(s)
	if err != nil {
		return nil, err
	}
	var caches []twin.Cache
	for _, bytes := range sizes {
		cache := twin.Cache{Policy: p.policy, Bytes: bytes - s.Reserved, Shards: p.shards}
		if cache.Shards == 0 {
			cache.Shards = s.shards(bytes)
		}
		if cache.Sampled = cache.Shards; cache.Shards >= 4*fewestSampled && !p.allShards {
			cache = s.Tree.Sample(cache, max(cache.Shards/16, fewestSampled))
		}
		if err := cache.Check(); err != nil {
			return nil, err
		}
		caches = append(caches, cache)
	}
	m := newMeter()
	defer m.finish()
	most := max(plan.Warmup+plan.Gets, plan.Most)
	predictions, err := plan.Predict(c.Context(), s.Tree, s.Workload, caches, func(done int64) {
		m.show("predict", uint64(done), uint64(most), "Gets", "")
	})
	if err != nil {
		return nil, err
	}
	for i := range predictions {
		list = append(list, s.Record(&predictions[i], plan))
	}
	return list, nil
}

// fewestSampled shards still tell how much they differ.
const fewestSampled = 16

// plan reads the numbers of Gets.
func (p *predictFlags) plan(s *subject) (plan twin.Plan, err error) {
	plan.Gets = s.gets
	if p.gets != "" {
		if plan.Gets, err = parseCount("--gets", p.gets); err != nil {
			return plan, err
		}
	}
	if plan.Gets == 0 {
		return plan, errors.New("--gets 0 predicts nothing: take at least 1, or --steady")
	}
	if plan.Warmup, err = p.warmupGets(s); err != nil {
		return plan, err
	}
	if plan.Most, err = parseCount("--until-steady", p.most); err != nil {
		return plan, err
	}
	if made := plan.Warmup + plan.Gets; plan.Most > 0 && plan.Most < made {
		return plan, fmt.Errorf("--until-steady %s is less than the %s Gets that are made anyway: take more, or fewer --gets", p.most, humanize.Comma(made))
	}
	if all := float64(plan.Warmup) + float64(plan.Gets); all > maxSimulated || plan.Most > maxSimulated {
		return plan, fmt.Errorf("more than %.0e Gets take too long to simulate: take fewer, or --steady", float64(maxSimulated))
	}
	return plan, nil
}

// maxSimulated Gets take a day.
const maxSimulated = 1e11

func (p *predictFlags) warmupGets(s *subject) (int64, error) {
	digits, share := strings.CutSuffix(p.warmup, "%")
	if !share {
		return parseCount("--warmup", p.warmup)
	}
	percent, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(percent >= 0 && percent <= 10_000) {
		return 0, fmt.Errorf("--warmup %q is no share of the keys: write it like 0.05%%", p.warmup)
	}
	return int64(math.Round(percent / 100 * float64(s.Tree.Records()))), nil
}
