package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/measure"
	"getio/measure/database"
	"getio/measure/keysource"
	"getio/numbers/interval"
	"getio/numbers/steady"
	"getio/predict/cachesim"
	"getio/predict/memory"
	"getio/record"
	"getio/workload"
	"getio/workload/trace"
)

// LibraryOf returns how the library of a database caches blocks.
func LibraryOf(d *database.Database) (cachesim.Library, error) {
	return cachesim.LibraryOf(d.Engine.Name(), d.Config.Effective())
}

// Caches returns the caches that the library makes of sizes in bytes for the Gets of a trace, which may be nil.
// Without a number of shards, the library chooses it.
func Caches(d *database.Database, library cachesim.Library, sizes []int64, shards int, f *trace.File) (caches []Cache, err error) {
	for _, bytes := range sizes {
		open := engine.OpenConfig{CacheBytes: bytes, Shards: shards, Memtables: f.Memtables(bytes)}
		if open.Shards == 0 {
			open.Shards = library.Shards(bytes, runtime.GOMAXPROCS(0))
		}
		db, err := d.Store.Open(open)
		if err != nil {
			return nil, err
		}
		c := db.Cache()
		if err := db.Close(); err != nil {
			return nil, err
		}
		caches = append(caches, Cache{Bytes: c.Bytes, Reserved: c.Reserved + c.Pinned, Shards: c.Shards})
	}
	return caches, nil
}

// Divide divides the memory of machines between each cache and a page cache; open tables hold outside bytes beside them.
// Unless fixed, or of a trace, the warm-up grows until the page caches have turned over, by at most mostTurnover Gets.
func (r *Run) Divide(q *memory.Question, caches []Cache, shape *lsm.Shape, outside int64, fixed bool) error {
	switch {
	case len(q.Sizes) == 0:
		return nil
	case shape.BlobFiles > 0:
		return errors.New("device reads of blob files cannot be computed: leave --memory out")
	}
	var divisions [][]record.PredictedMemory
	for i := range caches {
		caches[i].Memory = q.Divide(caches[i].Bytes, outside)
		divisions = append(divisions, caches[i].Memory)
	}
	if !fixed && r.Trace == nil {
		r.Warmup = max(r.Warmup, min(memory.Turnover(shape.Total().Bytes, divisions...), mostTurnover))
	}
	return q.Require(divisions)
}

// mostTurnover bounds the Gets of a warm-up that a page cache takes: they read a real database.
const mostTurnover = 2_000_000

// Follow makes the run that of a trace: its own warm-up, unless ownWarmup, and all the Gets behind it
// if Gets is 0.
func (r *Run) Follow(f *trace.File, ownWarmup bool) (err error) {
	if err := f.RequireKeys(); err != nil {
		return err
	}
	if !f.Kind.IsGet() {
		return fmt.Errorf("%s has operations of the kind %s, and only Gets can be replayed: measure it with 'getio measure --trace'", f.Path, f.Kind)
	}
	if r.Trace = f; !ownWarmup {
		r.Warmup = f.Warmup
	}
	r.Gets, err = f.Measured(r.Warmup, r.Gets)
	return err
}

// PerGet makes the run's Gets of a database once, and returns what they do in each cache, and the
// share that found their key. If they are a sample, it returns what all Gets do.
func (r *Run) PerGet(ctx context.Context, d *database.Database, keys workload.Keys, library cachesim.Library, caches []Cache) (list []PerGet, found float64, err error) {
	gets, err := r.sequence(d, keys)
	if err != nil {
		return nil, 0, err
	}
	defer gets.Close()
	if r.Trace != nil && r.Trace.Sampled() > 1 {
		if slices.ContainsFunc(caches, func(c Cache) bool { return c.Memory != nil }) {
			return nil, 0, errors.New("device reads cannot be computed from a sampled trace: leave --memory out, or record all Gets")
		}
		recording, err := r.Record(ctx, d.Store, gets)
		if err != nil {
			return nil, 0, err
		}
		list, err = recording.ofSample(ctx, r.Trace, library, caches)
		return list, float64(r.found) / float64(r.Gets), err
	}
	shards := 0
	for _, c := range caches {
		shards = max(shards, c.Shards)
	}
	variants := cachesim.VariantsOf(library, shards, true)
	counts, err := r.curve(ctx, d.Store, gets, variants, caches)
	if err != nil {
		return nil, 0, err
	}
	for i, c := range caches {
		list = append(list, r.perGet(c, counts[i*len(variants):(i+1)*len(variants)]))
	}
	return list, float64(r.found) / float64(r.Gets), nil
}

// perGet returns what each Get does in one cache, from its counts in all variants of the library.
func (r *Run) perGet(c Cache, variants []Counts) PerGet {
	p := meanOf(variants, r.Gets)
	all := series(variants)
	if r.Trace == nil {
		p.CI95 = r.confidence(all[0], p.Error)
	}
	for i, m := range c.Memory {
		d, gets := variants[0].Device[i], float64(r.Gets)
		m.DeviceReadsPerGet, m.DeviceBytesPerGet = float64(d.Reads)/gets, float64(d.Pages*readpath.PageBytes)/gets
		if r.Trace == nil {
			m.CI95 = r.confidence(all[i+1], nil)
		}
		p.Memory = append(p.Memory, m)
	}
	return p
}

// meanOf returns what each of the given number of Gets does in one cache, from its counts in all variants.
func meanOf(variants []Counts, gets int64) (p PerGet) {
	var misses []float64
	all := float64(gets) * float64(len(variants))
	for _, c := range variants {
		for i := range c.Misses {
			p.Accesses[i] += float64(c.Accesses[i]) / all
			p.Misses[i] += float64(c.Misses[i]) / all
		}
		p.PageBytes += float64(c.Pages*readpath.PageBytes) / all
		misses = append(misses, float64(c.Misses.Sum())/float64(gets))
	}
	if len(variants) > 1 {
		if deviation := stat.StdDev(misses, nil); deviation > cachesim.NotableDeviation*p.IOs() {
			p.Error = &deviation
		}
	}
	return p
}

// Estimate estimates all misses of such Gets in a cache. The error is 0 if there are too few.
func (r *Run) Estimate(c *Counts) interval.Estimate {
	e, _ := steady.Estimate(r.parts([]Windows{c.Windows}))
	e.Mean = float64(c.Misses.Sum()) / float64(r.Gets)
	return e
}

// confidence returns the interval that holds another run with 95% confidence, from the mean of a library's variants,
// between which runs deviate by the given amount; nil if there are too few Gets.
func (r *Run) confidence(variants []Windows, deviation *float64) *[2]float64 {
	parts := r.parts(variants)
	lo, hi, ok := steady.Confidence(parts)
	if !ok {
		return nil
	}
	if deviation != nil {
		mean := steady.Total(parts).Mean()
		n := float64(len(variants))
		ofVariants := interval.Student(interval.Usual, n-1) * *deviation * math.Sqrt(1+1/n)
		both := func(half float64) float64 { return math.Hypot(half, ofVariants) }
		lo, hi = max(mean-both(mean-lo), 0), mean+both(hi-mean)
	}
	return &[2]float64{lo, hi}
}

// Predict makes the run's Gets of a database once and returns a record of each cache.
func (r *Run) Predict(ctx context.Context, d *database.Database, keys workload.Keys, library cachesim.Library, caches []Cache) ([]*record.Prediction, error) {
	figures, found, err := r.PerGet(ctx, d, keys, library, caches)
	if err != nil {
		return nil, err
	}
	shape, info := d.Store.Shape(), d.Info()
	var list []*record.Prediction
	for i, cache := range caches {
		p := &record.Prediction{
			Schema: record.PredictionSchema, Time: time.Now().UTC(), Source: info.Dir, Library: info.Engine, Method: record.MethodReplay,
			Shape: shape.WithoutTables(),
			Cache: record.PredictedCache{
				Bytes: cache.Bytes, ReservedBytes: cache.Reserved, Phase: shape.Phase(cache.Bytes),
				Policy: library.Policy(), Shards: cache.Shards, SampledShards: cache.Shards, GethCacheMiB: d.GethCacheMiB(cache.Bytes, cache.Reserved),
			},
			Workload:   r.Workload(keys, found),
			Components: figures[i].Components(), PageBytesPerGet: &figures[i].PageBytes, Memory: figures[i].Memory,
		}
		if memory.Turnover(shape.Total().Bytes, cache.Memory) > r.Warmup {
			p.Warnings = []string{memory.NotTurnedOver(r.Warmup)}
		}
		ios := figures[i].IOs()
		p.IOsPerGet.Window, p.IOsPerGet.CI95, p.IOsPerGet.Error = &ios, figures[i].CI95, figures[i].Error
		list = append(list, p)
	}
	return list, nil
}

func (r *Run) sequence(d *database.Database, keys workload.Keys) (keysource.Sequence, error) {
	if r.Trace != nil {
		return keysource.Traced(r.Trace)
	}
	return d.Gets(keys)
}

// Measured returns the run with the library's own cache instead of simulated ones.
func (r *Run) Measured(d *database.Database, keys workload.Keys) measure.Sweep {
	return measure.Sweep{Database: d, Trace: r.Trace, Options: measure.Options{
		Workload: workload.Workload{Keys: keys, Gets: r.Gets, Warmup: workload.WarmupGets(r.Warmup), Workers: 1},
		Counted:  measure.Counted{NoSplit: true},
	}}
}

// Verify measures n of the predicted caches, evenly spaced, with as many Gets, and adds the figures to the
// predictions. It returns an error if a self-check fails.
func (r *Run) Verify(ctx context.Context, d *database.Database, keys workload.Keys, predictions []*record.Prediction, n int, progress measure.Progress) error {
	sweep := r.Measured(d, keys)
	sweep.Progress = progress
	for k := range n {
		p := predictions[(2*k+1)*len(predictions)/(2*n)]
		result, err := sweep.One(ctx, engine.OpenConfig{CacheBytes: p.Cache.Bytes, Shards: p.Cache.Shards})
		if err != nil {
			return err
		}
		if err := result.Checks.Err(); err != nil {
			return err
		}
		p.IOsPerGet.Measured = &result.IOsPerGet.Mean
	}
	return nil
}

// Workload describes the run's Gets, of which a share found their key.
func (r *Run) Workload(keys workload.Keys, found float64) record.Simulated {
	w := record.Simulated{Kind: keys.Distribution(), Files: keys.Files, HitFraction: found, WarmupGets: r.Warmup, Gets: r.Gets}
	if keys.Trace == "" {
		w.Popularity, w.HitFraction, w.Seed = keys.Popularity, 1-keys.Absent, keys.Seed
	} else if n := r.Trace.Sampled(); n > 1 {
		w.Sample = n
	}
	return w
}
