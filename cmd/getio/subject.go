package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"getio/dataset"
	"getio/engine"
	"getio/engine/engines"
	"getio/load"
	"getio/load/treewriter"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/units"
	"getio/predict/cachesim"
	"getio/predict/twin"
	"getio/tree/growth"
	"getio/tree/lsm"
	"getio/tree/published"
)

// subjectFlags say what is predicted for.
type subjectFlags struct {
	dataset string
	whatIf  whatIf
	file    string // of a shape
	keys    uint64
	size    int // of values
	choice  database.OpenOptions
}

func (f *subjectFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.dataset, "dataset", "", "a published database: "+strings.Join(growth.Names, ", ")+", or "+growth.NameMainnet+", one like a mainnet node's")
	flags.StringVar(&f.file, "shape", "", "a file that 'getio inspect DIR --shape FILE' wrote")
	countVar(flags, &f.keys, "keys", "", 1, units.MaxCount, "the tree that this many keys grow into, such as 5B")
	countVar(flags, &f.size, "value-size", "110", 0, math.MaxInt32, "bytes of each value, with --keys")
	choiceFlags(c, &f.choice)
}

// subject is what is predicted for, and how its study or its machine would read it.
type subject struct {
	twin.Subject
	published string // name of the database, if it is one
	gets      int64  // by default
	layout    lsm.TableFormat
	plain     *lsm.Shape // without what --what-if changes
}

// libraries are those whose read path the twin knows.
var libraries = map[string]twin.Library{"pebblev1": twin.PebbleV1, "pebblev2": twin.PebbleV2}

// memtableReserve is what a read-only open sets aside of the cache, in bytes.
const memtableReserve = 256 << 10

// trees is how many trees the flags name.
func (f *subjectFlags) trees() (n int) {
	for _, given := range []bool{f.dataset != "", f.file != "", f.keys > 0} {
		if given {
			n++
		}
	}
	return n
}

// subject reads or plans the shape.
func (f *subjectFlags) subject(w twin.Workload) (*subject, error) {
	if f.trees() != 1 {
		return nil, errors.New("name one tree to predict for: --dataset NAME, --shape FILE or --keys N")
	}
	if err := f.chooseEngine(); err != nil {
		return nil, err
	}
	e, err := engines.All().ByName(f.choice.Engine)
	if err != nil {
		return nil, err
	}
	library, err := libraryOf(e)
	if err != nil {
		return nil, err
	}
	cfg, err := engines.All().Configure(e, f.choice.Preset, f.choice.Options)
	if err != nil {
		return nil, err
	}
	change := f.whatIf
	shape, layout, err := f.shape(cfg, w.Seed)
	if err != nil {
		return nil, err
	}
	plain := shape
	if last := shape.Levels[len(shape.Levels)-1].Level; change.lastLevelFilter && last < lsm.NumLevels-1 {
		return nil, fmt.Errorf("%s has no L%d, so that Gets consult all of its filters: leave last_level_filter out", f.of(), lsm.NumLevels-1)
	}
	shape = change.apply(shape, layout)
	tree, err := twin.NewTree(shape, twin.Options{
		Library: library, BlockBytes: layout.DataBlockBytes, LastLevelFilter: change.lastLevelFilter,
	})
	if err != nil {
		return nil, fmt.Errorf("nothing can be predicted for %s: %w", f.of(), err)
	}
	s := &subject{gets: measure.DefaultGets(shape), layout: *layout, plain: plain}
	if slices.Contains(growth.Names, f.dataset) {
		s.published, s.gets = f.dataset, publishedGets
	}
	s.Subject = twin.Subject{Source: f.of(), Library: e.Name(), Shape: shape, Tree: tree, Workload: w, Reserved: memtableReserve}
	return s, nil
}

func libraryOf(e engine.Engine) (twin.Library, error) {
	library, known := libraries[e.Name()]
	if !known {
		return library, fmt.Errorf("how %s reads is not known: take a database of %s", e.Name(), strings.Join(slices.Sorted(maps.Keys(libraries)), " or "))
	}
	return library, nil
}

// chooseEngine takes geth's for its own database, the one that a shape was read with,
// and otherwise the study's.
func (f *subjectFlags) chooseEngine() error {
	choice := &f.choice
	switch {
	case choice.Engine != "":
	case f.dataset == growth.NameMainnet:
		choice.Engine = "pebblev2"
		if choice.Preset == "" {
			choice.Preset = "geth"
		}
	case f.file != "":
		shape, err := lsm.ReadFile(f.file)
		if err != nil {
			return err
		}
		choice.Engine = cmp.Or(shape.Engine, load.DefaultEngine)
	default:
		choice.Engine = load.DefaultEngine
	}
	return nil
}

// publishedGets is what the study made with each cache.
const publishedGets = 10_000_000

// of names what is predicted for.
func (f *subjectFlags) of() string {
	of := units.ExactCount(int64(f.keys)) + " keys"
	switch {
	case f.dataset == growth.NameMainnet:
		of = "a database like a mainnet node's"
	case f.dataset != "":
		of = "the published database " + f.dataset
	case f.file != "":
		of = f.file
	}
	if f.whatIf.text != "" {
		of += " with " + f.whatIf.text
	}
	return of
}

// shape is the tree's, with the blocks of all its tables, and how they are laid out.
func (f *subjectFlags) shape(cfg engine.Config, seed uint64) (*lsm.Shape, *lsm.TableFormat, error) {
	layout := layoutOf(cfg.Effective())
	layout.ValueBytes = int64(f.size)
	if f.file != "" || f.dataset == growth.NameMainnet {
		shape, err := f.ownShape(seed)
		if err != nil {
			return nil, nil, err
		}
		layout, known := layout.WithSizesOf(shape)
		if !known {
			return nil, nil, fmt.Errorf("%s does not say how large its records are: write it again with 'getio inspect DIR --shape FILE'", f.file)
		}
		return shape, &layout, nil
	}
	shape, err := f.plannedShape(cfg.Effective(), seed)
	if err != nil {
		return nil, nil, err
	}
	return layout.EstimateShape(shape), &layout, nil
}

// plannedShape is the shape of a published database, or the one that --keys grow into.
func (f *subjectFlags) plannedShape(options map[string]string, seed uint64) (*lsm.Shape, error) {
	switch {
	case f.dataset == "":
		return treewriter.GrownShape(f.keys, seed, f.size, dataset.ValuesPool32, options)
	case !slices.Contains(growth.Names, f.dataset):
		return nil, fmt.Errorf("invalid --dataset %q: want small, medium, large or mainnet", f.dataset)
	}
	return growth.Published(f.dataset, seed)
}

// layoutOf is how tables are laid out under options as a configuration states them.
func layoutOf(options map[string]string) lsm.TableFormat {
	interval, _ := strconv.ParseInt(options["block_restart_interval"], 10, 64)
	bloom, err := strconv.ParseInt(options["bloom_bits"], 10, 64)
	if err != nil { // levels differ; the last one may have none
		bloom, _ = strconv.ParseInt(options["bloom_bits.L0"], 10, 64)
	}
	return lsm.TableFormat{
		KeyBytes:   dataset.KeySize,
		BlockBytes: treewriter.OptionBytes(options, "block_size", 4<<10), IndexBlockBytes: treewriter.OptionBytes(options, "index_block_size", 4<<10),
		RestartInterval: max(interval, 1), BloomBits: bloom,
	}
}

// ownShape is a shape whose blocks are known.
func (f *subjectFlags) ownShape(seed uint64) (*lsm.Shape, error) {
	if f.file != "" {
		return lsm.ReadFile(f.file)
	}
	return growth.Mainnet(seed)
}

// shards is how many a cache has by default.
func (s *subject) shards(cacheBytes int64) int {
	if s.published != "" {
		if p, err := published.ProtocolFor(cacheBytes); err == nil {
			return p.Shards
		}
	}
	return cachesim.PebbleShards(cacheBytes, runtime.GOMAXPROCS(0))
}

// sizes are the cache sizes to predict for.
func (p *predictFlags) sizes(s *subject) (sizes []int64, err error) {
	if p.cache != nil {
		for _, size := range p.cache {
			bytes, err := size.Bytes(s.plain) // shares and points of the tree as it is, which what is changed is compared with
			if err != nil {
				return nil, err
			}
			sizes = append(sizes, bytes)
		}
	} else if s.published != "" {
		runs, err := published.Reads(s.published)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			sizes = append(sizes, r.CacheMiB<<20)
		}
	} else {
		for _, factor := range []float64{1, 1.5, 2.5, 4} {
			sizes = append(sizes, s.Reserved+int64(factor*float64(s.plain.IP1Bytes)))
		}
		sizes = append(sizes, s.Reserved+s.plain.IP2Bytes, s.Reserved+2*s.plain.IP2Bytes)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	if sizes[0] <= s.Reserved {
		return nil, fmt.Errorf("a cache of %s has no room for blocks beside the %s that a memtable takes: name a larger one with --cache", humanize.IBytes(uint64(sizes[0])), humanize.IBytes(uint64(s.Reserved)))
	}
	return sizes, nil
}
