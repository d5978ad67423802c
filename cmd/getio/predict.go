package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/numbers/units"
	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/record"
	"getio/report"
	"getio/tree/lsm"
)

type predictFlags struct {
	subjectFlags
	cache     []lsm.CacheSize // none: the published ones, or some between IP1 and IP2
	gets      int64           // 0: by the tree
	warmup    warmupGets
	most      int64
	shards    int
	allShards bool
	policy    string
	workload  twin.Workload
	steady    bool
	json      bool
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
	flagVar(f, &p.whatIf, "what-if", "changes", "", parseWhatIf, "changes, comma-separated: "+strings.Join(whatIfs, ", "))
	cachesVar(f, &p.cache, "", "cache sizes like 45MiB, IP1 or IP2, comma-separated (default: the published ones, or some from IP1 to twice IP2)")
	getsVar(f, &p.gets, "Gets of the window that is predicted (default: 10M for a published database, else 1M, or more where the tree is large)")
	flagVar(f, &p.warmup, "warmup", "rule", "0.05%", parseWarmupGets, "Gets before them, a number or a share of the keys")
	countVar(f, &p.most, "until-steady", "0", 0, units.MaxCount, "continue until steady, for at most that many Gets")
	shardsVar(f, &p.shards, "shards of the block cache (default: the published number, or what Pebble takes on this machine)")
	f.BoolVar(&p.allShards, "all-shards", false, "simulate every shard, not a sample of them where there are 64 or more")
	choiceVar(f, &p.policy, "policy", cachesim.NameClockPro, cachesim.Names(), "replacement policy: "+strings.Join(cachesim.Names(), ", "))
	absentVar(f, &p.workload.Absent)
	popularityVar(f, &p.workload.Popularity)
	f.Uint64Var(&p.workload.Seed, "seed", 1, "seed of the Gets, and of the placement of a planned tree's tables")
	f.BoolVar(&p.steady, "steady", false, "work out the steady state instead of simulating Gets")
	f.BoolVar(&p.json, "json", false, "print getio.prediction/1 records instead, one per line")
	return c
}

func (p *predictFlags) run(c *cobra.Command) error {
	if err := p.workload.Popularity.Check(); err != nil {
		return err
	}
	s, err := p.subject(p.workload)
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
	m := newMeter(c)
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
	plan = twin.Plan{Gets: cmp.Or(p.gets, s.gets), Warmup: p.warmup.of(int64(s.Tree.Records())), Most: p.most}
	if made := plan.Warmup + plan.Gets; plan.Most > 0 && plan.Most < made {
		return plan, fmt.Errorf("--until-steady %d is less than the %s Gets that are made anyway: take more, or fewer --gets", p.most, humanize.Comma(made))
	}
	if all := float64(plan.Warmup) + float64(plan.Gets); all > maxSimulated || plan.Most > maxSimulated {
		return plan, fmt.Errorf("more than %.0e Gets take too long to simulate: take fewer, or --steady", float64(maxSimulated))
	}
	return plan, nil
}

// maxSimulated Gets take a day.
const maxSimulated = 1e11

// warmupGets is a number of Gets, or one per so many keys.
type warmupGets struct {
	gets  int64
	share float64
}

func parseWarmupGets(s string) (w warmupGets, err error) {
	if strings.HasSuffix(s, "%") {
		w.share, err = shareIn(0, 100)(s)
	} else {
		w.gets, err = units.ParseCount(s)
	}
	if err != nil {
		err = fmt.Errorf("%w; want a number of Gets, or a share of the keys such as 0.05%%", err)
	}
	return w, err
}

func (w warmupGets) of(keys int64) int64 { return w.gets + int64(math.Round(w.share*float64(keys))) }
