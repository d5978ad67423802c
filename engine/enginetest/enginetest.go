// Package enginetest is the conformance suite that every engine passes.
package enginetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"getio/dataset"
	"getio/engine"
	"getio/tree/readpath"
)

// Suite is what the conformance suite needs to know of an engine.
type Suite struct {
	Engine engine.Engine
	// Small are options that give a tree of a few thousand keys several levels
	// and, where there are any, second-level indexes.
	Small []string
	// TableFiles is the pattern of the names of tables, such as *.sst.
	TableFiles string
	// OneLevelIndex: tables have no second-level indexes.
	OneLevelIndex bool
	// OneShard: the block cache cannot be divided.
	OneShard bool
	// Undescribed: tables do not say how many records they hold, nor have they
	// other properties.
	Undescribed bool
	// Variants are further options to pass the whole suite with, by name.
	Variants map[string][]string
	// Refused maps overrides that no configuration can have to a part of the error.
	Refused map[string]string
	// Held lists, by variant, the components that tables hold themselves: the block
	// cache is not asked for them.
	Held map[string][]readpath.Component
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	s.runWith(t, "default", nil)
	for name, options := range s.Variants {
		s.runWith(t, name, options)
	}
	t.Run("configure", s.configure)
	t.Run("recognise", s.recognise)
}

func (s Suite) runWith(t *testing.T, name string, options []string) {
	t.Run(name, func(t *testing.T) {
		db := s.load(t, append(append([]string{}, s.Small...), options...))
		db.held = s.Held[name]
		t.Run("get", db.get)
		t.Run("shape", db.shape)
		t.Run("counts", db.counts)
		t.Run("uncached", db.uncached)
		t.Run("on device", db.onDevice)
		t.Run("last-level filters", db.lastLevelFilters)
		t.Run("no filters", db.noFilters)
		t.Run("scan", db.scan)
		t.Run("scan from", db.scanFrom)
		t.Run("multiget", db.multiget)
		t.Run("sampler", db.sampler)
		t.Run("cache", db.cacheSizes)
		t.Run("not modified", db.notModified)
		t.Run("locked", db.locked)
		t.Run("updating", db.updating)
		t.Run("resume", db.resume)
		t.Run("corrupt", db.corrupt)
	})
}

const keys = 30_000

// loaded is a database that the suite has loaded.
type loaded struct {
	Suite
	held   []readpath.Component
	dir    string
	cfg    engine.Config
	keys   dataset.Keyspace
	values dataset.Values
}

// load writes all keys in random order, and settles.
func (s Suite) load(t *testing.T, options []string) *loaded {
	t.Helper()
	cfg, err := s.Engine.Configure("", options)
	check(t, err)
	l := &loaded{Suite: s, dir: filepath.Join(t.TempDir(), "db"), cfg: cfg}
	l.keys, err = dataset.NewKeyspace(dataset.KeyspaceKeccak, keys, 0)
	check(t, err)
	l.values, err = dataset.NewValues(dataset.ValuesRandom, 50, 1)
	check(t, err)
	loader, err := s.Engine.Create(l.dir, cfg)
	check(t, err)
	l.write(t, loader, 0, keys)
	check(t, loader.Settle(context.Background(), nil))
	if loader.State() == "" {
		t.Error("the library says nothing of the tree's state")
	}
	check(t, loader.Close())
	return l
}

func (l *loaded) write(t *testing.T, loader engine.Loader, from, to uint64) {
	t.Helper()
	batch := loader.NewBatch()
	var key [dataset.KeySize]byte
	for i := from; i < to; i++ {
		l.keys.Key(i, &key)
		check(t, batch.Set(key[:], l.values.Value(i, nil)))
		if i%500 == 499 {
			check(t, batch.Commit())
		}
	}
	check(t, batch.Commit())
	check(t, batch.Close())
	check(t, loader.Sync())
}

func (l *loaded) store(t *testing.T) engine.Store {
	t.Helper()
	s, err := l.Engine.OpenStore(context.Background(), l.dir, l.cfg)
	check(t, err)
	t.Cleanup(func() { check(t, s.Close()) })
	return s
}

func (l *loaded) open(t *testing.T, cache int64) engine.DB {
	t.Helper()
	db, err := l.store(t).Open(engine.OpenConfig{CacheBytes: cache})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	return db
}

// get finds every key with its value, and no absent one.
func (l *loaded) get(t *testing.T) {
	db := l.open(t, 8<<20)
	var key [dataset.KeySize]byte
	var value []byte
	for i := range uint64(keys) {
		value = l.requireValue(t, db, i, value)
		if i%10 != 0 {
			continue
		}
		l.keys.Absent(i, &key)
		if _, found, err := db.Get(key[:], value); err != nil || found {
			t.Fatalf("absent key %d: found %v, error %v", i, found, err)
		}
	}
}

// requireValue finds key i with its value, and returns that.
func (l *loaded) requireValue(t *testing.T, db engine.DB, i uint64, buf []byte) []byte {
	t.Helper()
	var key [dataset.KeySize]byte
	l.keys.Key(i, &key)
	value, found, err := db.Get(key[:], buf)
	check(t, err)
	if !found || !l.values.Check(i, value) {
		t.Fatalf("key %d: found %v, value %x", i, found, value)
	}
	return value
}

// shape is consistent with itself and with the files.
func (l *loaded) shape(t *testing.T) {
	s := l.store(t)
	shape := s.Shape()
	total := shape.Total()
	var onDisk int64
	tables := l.tables(t)
	for _, path := range tables {
		fi, err := os.Stat(path)
		check(t, err)
		onDisk += fi.Size()
	}
	if total.Tables != int64(len(tables)) || total.Bytes != onDisk {
		t.Errorf("shape has %d tables of %d bytes, the directory %d of %d", total.Tables, total.Bytes, len(tables), onDisk)
	}
	if l.Undescribed && total.Records != 0 || !l.Undescribed && total.Records < keys {
		t.Errorf("shape has %d records for %d keys", total.Records, keys)
	}
	if (total.IndexBlocks == 0) != l.OneLevelIndex || len(shape.Levels) < 2 {
		t.Errorf("the suite's options make no tree worth testing: %d levels, %d second-level index blocks", len(shape.Levels), total.IndexBlocks)
	}
	if shape.IP1Bytes <= 0 || (shape.IP2Bytes == shape.IP1Bytes) != l.OneLevelIndex || shape.IP2Bytes < shape.IP1Bytes || shape.IP2Bytes >= total.Bytes {
		t.Errorf("IP1 %d, IP2 %d, database %d bytes", shape.IP1Bytes, shape.IP2Bytes, total.Bytes)
	}
	for _, level := range shape.Levels {
		for i, table := range level.TableList {
			if bytes.Compare(table.Smallest, table.Largest) > 0 {
				t.Errorf("L%d table %d: bounds out of order", level.Level, i)
			}
			if level.Level > 0 && i > 0 && bytes.Compare(level.TableList[i-1].Largest, table.Smallest) >= 0 {
				t.Errorf("L%d tables %d and %d overlap", level.Level, i-1, i)
			}
		}
	}
	if p, known := s.Properties(); known == l.Undescribed || known && sumCounts(p) != total.Tables {
		t.Errorf("properties known: %v, of %d tables, shape of %d", known, sumCounts(p), total.Tables)
	}
}

// tables lists the paths of the database's table files.
func (l *loaded) tables(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(l.dir, l.TableFiles))
	check(t, err)
	return paths
}

func sumCounts(levels [7]engine.LevelProperties) (n int64) {
	for _, l := range levels {
		n += l.Count
	}
	return n
}

// read asks for n keys drawn by the seed, every tenth of them absent.
func (l *loaded) read(t *testing.T, db engine.DB, n, seed uint64) {
	t.Helper()
	var key [dataset.KeySize]byte
	for g := range n {
		draw := dataset.Draw(seed, g)
		want := g%10 != 0
		if want {
			l.keys.Key(dataset.Bounded(draw, keys), &key)
		} else {
			l.keys.Absent(draw, &key)
		}
		if _, found, err := db.Get(key[:], nil); err != nil || found != want {
			t.Fatalf("Get %d: found %v, error %v", g, found, err)
		}
	}
}

// counts hold together at every cache size, from cold and from warm.
func (l *loaded) counts(t *testing.T) {
	total := l.store(t).Shape().Total()
	for _, cache := range []int64{1 << 20, 4 << 20, 64 << 20} {
		db := l.open(t, cache)
		before := db.Counts()
		for seed := range uint64(3) {
			l.read(t, db, 5_000, seed)
			now := db.Counts()
			run := now.Sub(before)
			before = now
			holds(t, db.Check(run))
			if run.Accesses.Count[readpath.Data] < 5_000*9/10 {
				t.Errorf("cache %d: %d data accesses for 4500 existing keys", cache, run.Accesses.Count[readpath.Data])
			}
		}
		if cache > 2*total.Bytes {
			l.read(t, db, 5_000, 2)
			if run := db.Counts().Sub(before); run.Reads.Count.Sum() != 0 {
				t.Errorf("a cache larger than the database still read %d times for keys read before", run.Reads.Count.Sum())
			}
		}
	}
}

// uncached reads every access, so that the accesses the library counts are
// the reads at the files.
func (l *loaded) uncached(t *testing.T) {
	db := l.open(t, 0)
	before := db.Counts()
	l.read(t, db, 5_000, 1)
	run := db.Counts().Sub(before)
	holds(t, db.Check(run))
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex} {
		if run.Accesses.Count[c] != run.Reads.Count[c] {
			t.Errorf("%s: %d accesses, %d reads", c, run.Accesses.Count[c], run.Reads.Count[c])
		}
	}
	a, r := run.Accesses.Count, run.Reads.Count
	if a[readpath.Index]+a[readpath.Data] != r[readpath.Index]+r[readpath.Data] {
		t.Errorf("index and data: %d accesses, %d reads", a[readpath.Index]+a[readpath.Data], r[readpath.Index]+r[readpath.Data])
	}
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		if absent := c == readpath.Index && l.OneLevelIndex || slices.Contains(l.held, c); (r[c] == 0) != absent {
			t.Errorf("%s was read %d times", c, r[c])
		}
	}
}

// sampler draws keys that exist, from everywhere.
func (l *loaded) sampler(t *testing.T) {
	s := l.store(t)
	sampler, err := s.Sampler()
	check(t, err)
	defer sampler.Close()
	db := l.open(t, 8<<20)
	var n uint64
	rand := func() uint64 { n++; return dataset.Draw(7, n) }
	const draws, parts = 6_000, 16
	var hits [parts]int
	distinct := map[string]bool{}
	for range draws {
		key, err := sampler.Draw(rand, nil)
		check(t, err)
		if _, found, err := db.Get(key, nil); err != nil || !found {
			t.Fatalf("sampled key %x: found %v, error %v", key, found, err)
		}
		hits[key[0]/(256/parts)]++
		distinct[string(key)] = true
	}
	for i, h := range hits {
		if mean := draws / parts; h < mean*3/4 || h > mean*5/4 {
			t.Errorf("part %d of the key space was drawn %d times of %d, %d expected", i, h, draws, mean)
		}
	}
	// Of 30,000 keys, 6,000 uniform draws repeat about 560.
	if len(distinct) < draws-2*560 {
		t.Errorf("only %d of %d draws are distinct", len(distinct), draws)
	}
}

// cacheSizes that make no sense are refused, and the shards are as asked for.
func (l *loaded) cacheSizes(t *testing.T) {
	s := l.store(t)
	if _, err := s.Open(engine.OpenConfig{CacheBytes: s.Info().MinCacheBytes - 1}); err == nil {
		t.Error("a cache below the floor was accepted")
	}
	good := []engine.OpenConfig{{CacheBytes: 32 << 20, Shards: 8}, {CacheBytes: 32 << 20, Shards: 4}, {CacheBytes: 1 << 20, Shards: 4}}
	bad := []engine.OpenConfig{{CacheBytes: 32 << 20, Shards: 3}, {CacheBytes: 32 << 20, Shards: 6}, {CacheBytes: 1 << 20, Shards: 128}, {CacheBytes: 1 << 20, Shards: -4}}
	if l.OneShard {
		bad = append(bad, good...)
		good = []engine.OpenConfig{{CacheBytes: 32 << 20, Shards: 1}, {CacheBytes: 1 << 20, Shards: 1}}
	}
	for _, cfg := range good {
		db, err := s.Open(cfg)
		check(t, err)
		if got := db.Cache(); got.Bytes != cfg.CacheBytes || got.Shards != cfg.Shards {
			t.Errorf("asked for %+v, got %+v", cfg, got)
		}
		check(t, db.Close())
	}
	for _, cfg := range bad {
		if db, err := s.Open(cfg); err == nil {
			db.Close()
			t.Errorf("%+v was accepted", cfg)
		}
	}
}

// notModified: nothing in the directory changes by looking and reading.
func (l *loaded) notModified(t *testing.T) {
	before := Fingerprint(t, l.dir)
	db := l.open(t, 4<<20)
	l.read(t, db, 1_000, 3)
	db.Counts()
	if after := Fingerprint(t, l.dir); after != before {
		t.Errorf("the directory changed:\n%s\n---\n%s", before, after)
	}
}

// Fingerprint lists every file below dir with its size, time and hash.
func Fingerprint(t testing.TB, dir string) string {
	t.Helper()
	var out bytes.Buffer
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		sum := ""
		if fi.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		fmt.Fprintln(&out, path, fi.Mode(), fi.Size(), fi.ModTime().UnixNano(), sum)
		return nil
	}))
	return out.String()
}

func holds(t *testing.T, checks []readpath.Check) {
	t.Helper()
	if len(checks) == 0 {
		t.Error("the run was not checked")
	}
	for _, c := range checks {
		if !c.OK {
			t.Errorf("check %s: %s", c.Name, c.Detail)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
