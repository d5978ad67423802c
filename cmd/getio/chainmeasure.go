package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"getio/dataset/popularity"
	"getio/engine/engines"
	"getio/ethereum/chain"
	"getio/ethereum/chaindata"
	"getio/measure/database"
	"getio/record"
	"getio/report"
	"getio/tree/lsm"
	"getio/tree/readpath"
)

type chainMeasureFlags struct {
	choice       database.OpenOptions
	operations   string
	state        string
	cache        []lsm.CacheSize
	distribution string
	count        int64 // autoOps: worked out
	warmup       int64 // autoOps: worked out
	ancient      string
	seed         uint64
	shards       int
	out          string
	json         bool
}

func chainMeasureCommand() *cobra.Command {
	var m chainMeasureFlags
	c := &cobra.Command{
		Use:   "measure DIR",
		Short: "Keys got, blocks asked for and reads per operation, at several cache sizes",
		Long: `measure makes operations on a chaindata directory, one after another, on a
read-only open with the given block cache, and tells per operation which keys are
got, by category of geth's schema, how many tables and blocks these ask for, and how
many reads of table files each makes. Operations on blocks and transactions go by the
index that the client goes by; those on accounts read the newest state that is whole
in the database, down its tries or, where it is there, by itself (flat).

What is asked for is drawn from what the chain has. The client's own caches are left
out: these are the Gets that reach its store when they do not help.`,
		Example: `  getio chain measure /var/lib/geth/chaindata --cache 0.2%,1.7%,14%
  getio chain measure data/chain --op getBalance,getStorageAt --state flat`,
		Args: directory,
		RunE: func(c *cobra.Command, args []string) error { return m.run(c, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&m.operations, "op", "", "operations, comma-separated: "+operationNames()+" (default: all)")
	f.StringVar(&m.state, "state", "trie", "read accounts and slots down the tries (trie) or by themselves (flat)")
	cachesVar(f, &m.cache, "0.2%,1.7%,14%", "cache sizes, comma-separated, like 45MiB, 0.2% of the database, IP1 or IP2")
	f.StringVar(&m.distribution, "distribution", "uniform", "how often which targets are asked for: uniform, zipf (of exponent 0.99), or zipf=EXPONENT; the newest blocks are the most popular")
	flagVar(f, &m.count, "ops", "count", opsAuto, parseOps, "operations that are measured; auto: enough to tell whether the run is steady, up to 200k")
	flagVar(f, &m.warmup, "warmup", "count", opsAuto, parseOps, "operations before these, to fill the cache; auto: as many as are measured")
	f.StringVar(&m.ancient, "ancient", "", "where the freezer is (default: ancient in DIR)")
	f.Uint64Var(&m.seed, "seed", 1, "seed of what is asked for")
	shardsVar(f, &m.shards, "shards of the block cache (default: the library's choice)")
	f.StringVar(&m.out, "out", "", "add each record to this JSON Lines file; what it has of the same runs is not measured again")
	f.BoolVar(&m.json, "json", false, "print the records as JSON Lines")
	choiceFlags(c, &m.choice)
	liveFlag(c, &m.choice)
	return c
}

func operationNames() string {
	names := make([]string, len(chain.Operations))
	for i, o := range chain.Operations {
		names[i] = string(o)
	}
	return strings.Join(names, ", ")
}

// chainAsk is what the flags ask for.
type chainAsk struct {
	operations       []chain.Operation
	flat             bool
	sizes            []lsm.CacheSize
	popularity       chain.Popularity
	warmup, measured int64 // operations; autoOps to work them out
}

// maxOperations take some GiB to draw.
const maxOperations = 50_000_000

// parse checks the flags; nothing is opened before that.
func (m *chainMeasureFlags) parse() (ask chainAsk, err error) {
	if ask.operations, err = parseOperations(m.operations); err != nil {
		return ask, err
	}
	switch m.state {
	case "trie":
	case "flat":
		ask.flat = true
	default:
		return ask, fmt.Errorf("--state %q is none: take trie or flat", m.state)
	}
	if ask.popularity.Zipf, err = parseDistribution(m.distribution); err != nil {
		return ask, err
	}
	ask.popularity.Seed = m.seed
	ask.measured, ask.warmup, ask.sizes = m.count, m.warmup, m.cache
	if ask.measured == 0 || ask.measured+ask.warmup > maxOperations {
		return ask, fmt.Errorf("--ops %d after %d is out of range: take 1 to %d in all", m.count, m.warmup, maxOperations)
	}
	return ask, nil
}

// opsAuto has numbers of operations worked out, and is autoOps then.
const (
	opsAuto = "auto"
	autoOps = -1
)

func parseOps(text string) (int64, error) {
	if text == opsAuto {
		return autoOps, nil
	}
	return countIn[int64](0, maxOperations)(text)
}

func parseOperations(list string) (operations []chain.Operation, err error) {
	if list == "" {
		return chain.Operations, nil
	}
	for _, name := range strings.Split(list, ",") {
		o := chain.Operation(name)
		if !slices.Contains(chain.Operations, o) {
			return nil, fmt.Errorf("--op %q is no operation: take some of %s", name, operationNames())
		}
		if !slices.Contains(operations, o) {
			operations = append(operations, o)
		}
	}
	return operations, nil
}

// usualZipf is the exponent that key-value benchmarks take.
const usualZipf = 0.99

func parseDistribution(text string) (zipf float64, err error) {
	name, exponent, given := strings.Cut(text, "=")
	switch {
	case text == "uniform":
		return 0, nil
	case name == "zipf" && !given:
		return usualZipf, nil
	case name == "zipf":
		if zipf, err = strconv.ParseFloat(exponent, 64); err == nil && zipf > 0 && zipf <= popularity.MaxZipf {
			return zipf, nil
		}
	}
	return 0, fmt.Errorf("--distribution %q is none: take uniform, zipf, or zipf=EXPONENT with an exponent up to %d", text, popularity.MaxZipf)
}

func (m *chainMeasureFlags) run(c *cobra.Command, dir string) error {
	ask, err := m.parse()
	if err != nil {
		return err
	}
	journal := record.Journal{Path: m.out, Runs: "runs"}
	done, err := journal.Chains()
	if err != nil {
		return err
	}
	d, err := database.Open(c.Context(), engines.All(), dir, m.choice)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.Manifest != nil {
		return fmt.Errorf("%s is a dataset of random keys, and no chaindata: name the chaindata directory of a node", dir)
	}
	if m.out != "" {
		if err := requireOutside(m.out, d, "--out"); err != nil {
			return err
		}
	}
	sizes, err := cacheBytes(ask.sizes, d.Store.Shape(), d.Info().MinCacheBytes)
	if err != nil {
		return err
	}
	if floor := d.Info().MinCacheBytes; !c.Flags().Changed("cache") { // of a small database
		for i := range sizes {
			sizes[i] = max(sizes[i], floor)
		}
		sizes = slices.Compact(sizes)
	}
	place := chain.Place{Dir: d.Dir, Ancient: m.ancient, InUse: m.choice.Live}
	if place.Ancient == "" {
		place.Ancient = filepath.Join(d.Dir, chaindata.AncientDir)
	} else if _, err := os.Stat(place.Ancient); err != nil {
		return fmt.Errorf("there is no freezer (%w): name the directory that has chain in it with --ancient", err)
	}
	run := &chainRun{flags: m, ask: ask, command: c, database: d, place: place, caches: sizes, journal: journal, done: done}
	run.journal.Total = len(ask.operations) * len(sizes)
	err = run.all()
	if err != nil {
		err = run.journal.Unfinished(err)
	}
	if len(run.results) > 0 && !m.json { // what is finished counts, whatever came after it
		err = errors.Join(err, report.Chain(c.OutOrStdout(), run.results))
	}
	if err != nil {
		return err
	}
	var checks readpath.Checks
	for _, r := range run.results {
		checks = append(checks, r.Checks...)
	}
	return requireHold(checks)
}
