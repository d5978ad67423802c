// Package scenario describes what a prediction is for: a tree (a published database, the one
// that N keys grow into, or a shape read from a file), the library that reads it, and changes to
// its table format. It predicts the reads of its Gets, by simulation or in the steady state.
package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/engine/lsm"
	"getio/load"
	"getio/load/growth"
	"getio/load/treewriter"
	"getio/measure"
	"getio/measure/database"
	"getio/numbers/published"
	"getio/numbers/units"
	"getio/predict/twin"
	"getio/workload"
	"getio/workload/dataset"
)

// Query names a tree and how it is read. Exactly one of Dataset, ShapeFile and Keys is set.
type Query struct {
	Dataset   string // growth.Names or growth.NameMainnet
	ShapeFile string // written by 'getio inspect DIR --shape FILE'
	Keys      uint64
	ValueSize int // bytes, with Keys
	// Open chooses engine and options. By default they are geth's for mainnet, the engine of
	// the shape file, or the study's.
	Open   database.OpenOptions
	Change Change
}

// Scenario is a tree with the library that reads it.
type Scenario struct {
	twin.Subject
	library twin.Library
	Gets    int64           // made by default
	Format  lsm.TableFormat // of the tables, after the change
	Mainnet bool            // it is the model of a mainnet node's database

	published string     // name of the published database; empty for other trees
	unchanged *lsm.Shape // without the change
}

// publishedGets is the number of Gets that the study made with each cache.
const publishedGets = 10_000_000

// Trees returns how many trees the query names.
func (q *Query) Trees() (n int) {
	for _, given := range []bool{q.Dataset != "", q.ShapeFile != "", q.Keys > 0} {
		if given {
			n++
		}
	}
	return n
}

// Check returns an error unless the query names one tree.
func (q *Query) Check() error {
	if q.Trees() != 1 {
		return errors.New("name one tree to predict for: --dataset NAME, --shape FILE or --keys N")
	}
	return nil
}

// Scenario reads or plans the query's tree. The seed of the keys also places the tables of a planned tree.
func (q Query) Scenario(engines engine.Registry, keys workload.Keys) (*Scenario, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	if err := q.chooseEngine(); err != nil {
		return nil, err
	}
	e, err := engines.ByName(q.Open.Engine)
	if err != nil {
		return nil, err
	}
	cfg, err := engines.Configure(e, q.Open.Preset, q.Open.Options)
	if err != nil {
		return nil, err
	}
	library, err := twin.LibraryOf(e.Name(), q.Change.options(cfg.Effective()))
	if err != nil {
		return nil, err
	}
	if err := q.checkLibrary(e.Name(), &library, cfg.Effective()); err != nil {
		return nil, err
	}
	before, format, err := q.shape(e.Name(), cfg.Effective(), keys.Seed)
	if err != nil {
		return nil, err
	}
	if err := q.checkEngine(before, e.Name()); err != nil {
		return nil, err
	}
	if !isPebble(e.Name()) {
		if err := q.Change.check(e.Name(), before); err != nil {
			return nil, err
		}
	}
	if last := before.Levels[len(before.Levels)-1].Level; q.Change.lastLevelFilter && last < lsm.NumLevels-1 {
		return nil, fmt.Errorf("%s has no L%d, so Gets consult all of its filters: leave last_level_filter out", q.name(), lsm.NumLevels-1)
	}
	shape := q.Change.apply(before, &format)
	tree, err := twin.NewTree(shape, twin.Options{
		Library: library, BlockBytes: format.DataBlockBytes, LastLevelFilter: q.Change.lastLevelFilter,
	})
	if err != nil {
		return nil, fmt.Errorf("nothing can be predicted for %s: %w", q.name(), err)
	}
	s := &Scenario{
		Subject: twin.Subject{Source: q.name(), Library: e.Name(), Shape: shape, Tree: tree, Keys: keys, Reserved: library.Reserved + tree.Pinned()},
		library: library, Gets: measure.DefaultGets(shape), Format: format, Mainnet: q.Dataset == growth.NameMainnet, unchanged: before,
	}
	switch {
	case slices.Contains(growth.Names, q.Dataset):
		s.published, s.Gets = q.Dataset, publishedGets
	case q.ShapeFile != "":
		s.noteLog(q.ShapeFile)
		s.OpenFiles = twin.OpenFiles(cfg.Effective())
		if shape.Engine != "" && !shape.KnowsLiveRecords() {
			s.Warnings = append(s.Warnings, q.ShapeFile+" does not say which records Gets find, since an older getio wrote it: where keys were overwritten, merged or deleted, the figures may be far off; write it again with 'getio inspect DIR --shape FILE'")
		}
	}
	return s, nil
}

// checkLibrary returns an error if the tree or its change is not known for the library.
func (q *Query) checkLibrary(engine string, l *twin.Library, options map[string]string) error {
	switch {
	case l.Sharded():
	case q.ShapeFile == "":
		return fmt.Errorf("how trees of %s grow is not modelled: load one with 'getio load DIR --engine %s', write its shape with 'getio inspect DIR --shape FILE', and name that with --shape", engine, engine)
	case !l.MetadataOutside && (options["pin_top_level_index_and_filter"] == "true" || options["pin_l0_filter_and_index_blocks_in_cache"] == "true"):
		return errors.New("blocks that tables pin in the cache are not predicted: use --option pin_top_level_index_and_filter=false and --option pin_l0_filter_and_index_blocks_in_cache=false, or 'getio curve' on the database")
	}
	return nil
}

func isPebble(engine string) bool { return strings.HasPrefix(engine, "pebble") }

// checkEngine returns an error if a shape is of an engine with other tables than the one that is to
// read it. Both Pebbles read the same.
func (q *Query) checkEngine(s *lsm.Shape, engine string) error {
	if s.Engine == "" || s.Engine == engine || isPebble(s.Engine) && isPebble(engine) {
		return nil
	}
	return fmt.Errorf("%s is the shape of a database of %s, which %s cannot read: leave --engine out", q.ShapeFile, s.Engine, engine)
}

// chooseEngine sets the engine if the query names none.
func (q *Query) chooseEngine() error {
	switch {
	case q.Open.Engine != "":
	case q.Dataset == growth.NameMainnet:
		q.Open.Engine, q.Open.Preset = "pebblev2", cmp.Or(q.Open.Preset, "geth")
	case q.ShapeFile != "":
		shape, err := lsm.ReadFile(q.ShapeFile)
		if err != nil {
			return err
		}
		q.Open.Engine = cmp.Or(shape.Engine, load.DefaultEngine)
	default:
		q.Open.Engine = load.DefaultEngine
	}
	return nil
}

// name describes the tree in records and errors.
func (q *Query) name() string {
	name := units.ExactCount(int64(q.Keys)) + " keys"
	switch {
	case q.Dataset == growth.NameMainnet:
		name = "a database like a mainnet node's"
	case q.Dataset != "":
		name = "the published database " + q.Dataset
	case q.ShapeFile != "":
		name = q.ShapeFile
	}
	if q.Change.text != "" {
		name += " with " + q.Change.text
	}
	return name
}

// shape returns the tree with the blocks of all its tables, and their format.
func (q *Query) shape(engine string, options map[string]string, seed uint64) (shape *lsm.Shape, format lsm.TableFormat, err error) {
	format = TableFormat(engine, options)
	format.ValueBytes = int64(q.ValueSize)
	switch {
	case q.Keys > 0:
		shape, err = treewriter.GrownShape(q.Keys, seed, q.ValueSize, dataset.ValuesPool32, options)
	case slices.Contains(growth.Names, q.Dataset):
		shape, err = growth.Published(q.Dataset, seed)
	case q.ShapeFile != "":
		shape, err = lsm.ReadFile(q.ShapeFile)
	case q.Dataset == growth.NameMainnet:
		shape, err = growth.Mainnet(seed)
	default:
		err = fmt.Errorf("invalid --dataset %q: want small, medium, large or mainnet", q.Dataset)
	}
	if err != nil {
		return nil, format, err
	}
	if err := shape.RequireNoBlobs(q.ShapeFile); err != nil {
		return nil, format, err
	}
	if q.ShapeFile != "" && shape.Total().Tables == 0 {
		return nil, format, fmt.Errorf("%s has no tables yet, so no Get reads any: write it again when the database has some", q.ShapeFile)
	}
	if q.ShapeFile == "" && q.Dataset != growth.NameMainnet {
		return format.EstimateShape(shape), format, nil
	}
	format, known := format.WithSizesOf(shape)
	if !known {
		err = fmt.Errorf("%s does not say how large its records are: write it again with 'getio inspect DIR --shape FILE'", q.ShapeFile)
	}
	if q.Change.blockBytes > 0 && !isPebble(engine) { // clients choose other blocks than the preset
		format = format.WithBlocksOf(shape)
	}
	return shape, format, err
}

// noteLog says how far the figures may be off because the write-ahead log has keys that the tree lacks.
func (s *Scenario) noteLog(file string) {
	log := s.unchanged.LogRecords
	if log == 0 {
		return
	}
	s.InLog = 1 // popular keys may all be there
	if s.Keys.EquallyPopular() {
		s.InLog = min(float64(log)/float64(max(s.Tree.Records(), 1)), 1)
	}
	s.InLog *= 1 - s.Keys.Absent
	s.Warnings = append(s.Warnings, fmt.Sprintf("%s does not have the %s in the write-ahead log, where Gets find their keys without a read: the figures may be too high by up to %.3g%%",
		file, units.Plural(log, "record"), 100*s.InLog))
}

// Shards returns how many shards a cache has by default: the published number, or the library's
// on this machine.
func (s *Scenario) Shards(cacheBytes int64) int {
	if s.published != "" {
		if p, err := published.ProtocolFor(cacheBytes); err == nil {
			return p.Shards
		}
	}
	return s.library.Cache.Shards(cacheBytes, runtime.GOMAXPROCS(0))
}

// Caches returns the cache sizes to predict for, in bytes and ascending: those listed, or else
// the published ones, or some from IP1 to twice IP2. Shares and inflection points refer to the
// tree without its change, so that both can be compared.
func (s *Scenario) Caches(list []lsm.CacheSize) (sizes []int64, err error) {
	switch {
	case list != nil:
		for _, size := range list {
			bytes, err := size.Bytes(s.unchanged)
			if err != nil {
				return nil, err
			}
			sizes = append(sizes, bytes)
		}
	case s.published != "":
		runs, err := published.Reads(s.published)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			sizes = append(sizes, r.CacheMiB<<20)
		}
	default:
		for _, factor := range []float64{1, 1.5, 2.5, 4} {
			sizes = append(sizes, s.Reserved+int64(factor*float64(s.unchanged.IP1Bytes)))
		}
		sizes = append(sizes, s.Reserved+s.unchanged.IP2Bytes, s.Reserved+2*s.unchanged.IP2Bytes)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	if sizes[0] <= s.Reserved {
		return nil, fmt.Errorf("a cache of %s has no room for blocks beside the %s that a memtable takes: choose a larger one with --cache",
			humanize.IBytes(uint64(sizes[0])), humanize.IBytes(uint64(s.Reserved)))
	}
	return sizes, nil
}

// TableFormat returns how an engine's effective options lay out tables of getio's keys. Sizes of blocks
// that are missing are 4 KiB, Pebble's default.
func TableFormat(engine string, options map[string]string) lsm.TableFormat {
	interval, _ := strconv.ParseInt(options["block_restart_interval"], 10, 64)
	bloom, err := strconv.ParseInt(options["bloom_bits"], 10, 64)
	if err != nil { // levels differ; the last one may have none
		bloom, _ = strconv.ParseInt(options["bloom_bits.L0"], 10, 64)
	}
	format := lsm.TableFormat{
		KeyBytes:        dataset.KeySize,
		BlockBytes:      treewriter.OptionBytes(options, "block_size", 4<<10),
		RestartInterval: max(interval, 1), BloomBits: bloom,
	}
	switch engine {
	case "goleveldb":
		format.CloseFull, format.RangeFilters = true, true
	case "rocksdb":
		format.TopIndexAlways = true
		format.IndexBlockBytes = treewriter.OptionBytes(options, "metadata_block_size", 4<<10)
	default:
		format.IndexBlockBytes = treewriter.OptionBytes(options, "index_block_size", 4<<10)
	}
	return format
}
