package workload

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"getio/dataset"
	"getio/dataset/popularity"
	"getio/engine"
)

// Kinds of sequences for databases that getio did not write.
const (
	KindSampled  = "sampled"
	KindKeysFile = "keys_file"
)

// source draws existing keys.
type source interface {
	kind() string
	// prepare is called before drawing; db looks keys up.
	prepare(ctx context.Context, db engine.DB) error
	draw(rand func() uint64, buf []byte) ([]byte, error)
	// population returns the number of numbered keys.
	population() (uint64, error)
	// numbered returns key number n. For the same n, rand returns the same random numbers.
	numbered(n uint64, rand func() uint64, buf []byte) ([]byte, error)
	Close() error
}

// drawn is a sequence of keys of a database that getio did not write. Keys are drawn outside the
// timed parts of a run and verified through a separate open of the database: deleted keys are
// replaced, and absent keys are really absent.
type drawn struct {
	source  source
	verify  engine.DB
	random  Random
	popular *popularity.Distribution // nil if all keys are equally popular

	first int64
	keys  [][]byte
	wants []Want // Index is the length of the value

	// The keys of the first Gets are kept for another run of the same Gets.
	keptKeys  [][]byte
	keptWants []Want
}

// mostKept is the number of Gets whose keys are kept, which take about 100 MB.
const mostKept = 1_000_000

// newDrawn returns Gets of keys from the source. Absent keys are derived from its keys and have the
// same form. open opens the database that looks keys up. Closing the sequence closes both.
func newDrawn(s source, r Random, open func() (engine.DB, error)) (Sequence, error) {
	d := &drawn{source: s, random: r}
	if !r.Popularity.Uniform() {
		n, err := s.population()
		if err != nil {
			s.Close()
			return nil, err
		}
		d.popular = r.of(n)
	}
	var err error
	if d.verify, err = open(); err != nil {
		s.Close()
		return nil, err
	}
	return d, nil
}

func (d *drawn) Kind() string { return d.source.kind() }

// redraws limits the draws for one Get. It is reached only if almost all keys are deleted, or
// too short to derive absent keys from.
const redraws = 10_000

func (d *drawn) Prepare(ctx context.Context, first, n int64) error {
	if err := d.source.prepare(ctx, d.verify); err != nil {
		return err
	}
	d.first = first
	if kept := int64(len(d.keptKeys)); first+n <= kept {
		d.keys, d.wants = d.keptKeys[first:first+n], d.keptWants[first:first+n]
		return nil
	}
	d.keys = make([][]byte, n)
	d.wants = make([]Want, n)
	group, ctx := errgroup.WithContext(ctx)
	procs := int64(runtime.GOMAXPROCS(0))
	for p := range procs {
		from, to := p*n/procs, (p+1)*n/procs
		group.Go(func() error { return d.fill(ctx, from, to) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if first == int64(len(d.keptKeys)) && first+n <= mostKept {
		d.keptKeys, d.keptWants = append(d.keptKeys, d.keys...), append(d.keptWants, d.wants...)
	}
	return nil
}

func (d *drawn) fill(ctx context.Context, from, to int64) (err error) {
	var value []byte
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if d.keys[i], d.wants[i], value, err = d.drawOne(d.first+i, value); err != nil {
			return err
		}
	}
	return nil
}

// drawOne draws the key of Get g until a lookup confirms that it is present, or absent.
func (d *drawn) drawOne(g int64, buf []byte) (key []byte, want Want, value []byte, err error) {
	absent := d.random.absent(g)
	rand, draw := d.drawing(g)
	for range redraws {
		if key, err = draw(key); err != nil {
			return nil, want, nil, err
		}
		if absent {
			scramble(key, rand)
		}
		value, found, err := lookUp(d.verify, key, buf)
		if err != nil {
			return nil, want, nil, err
		}
		if found != absent {
			return key, Want{Present: found, Index: uint64(len(value))}, value, nil
		}
	}
	if absent {
		return nil, want, nil, fmt.Errorf("no absent keys can be made from this database's keys, since every change of a key's second half gives an existing one: measure existing keys only")
	}
	return nil, want, nil, fmt.Errorf("%d keys drawn in a row are deleted: list existing keys with --keys-file", redraws)
}

// drawing returns the random numbers of Get g, and a function that draws its key.
func (d *drawn) drawing(g int64) (rand func() uint64, draw func(buf []byte) ([]byte, error)) {
	own := d.random.key(g)
	var n uint64
	rand = func() uint64 { n++; return dataset.Draw(own, n) }
	if d.popular == nil {
		return rand, func(buf []byte) ([]byte, error) { return d.source.draw(rand, buf) }
	}
	number := d.popular.Number(own)
	own = d.random.popular(number)
	return rand, func(buf []byte) ([]byte, error) { return d.source.numbered(number, rand, buf) }
}

// lookUp calls db.Get and turns a panic, which a damaged block may cause, into an error.
func lookUp(db engine.DB, key, buf []byte) (value []byte, found bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library panicked: %v: the database is damaged; restore it from a copy", p)
		}
		if err != nil {
			text := strings.Join(strings.Fields(err.Error()), " ")
			err = fmt.Errorf("key %x cannot be looked up (%s)", key, text)
		}
	}()
	return db.Get(key, buf)
}

// scramble replaces the second half of a key. It keeps prefixes, which mark kinds of keys.
func scramble(key []byte, rand func() uint64) {
	half := key[len(key)/2:]
	for i := range half {
		half[i] = byte(rand() >> 32)
	}
}

func (d *drawn) Key(g int64, _ []byte) ([]byte, Want) {
	i := g - d.first
	return d.keys[i], d.wants[i]
}

func (d *drawn) Check(_ int64, want Want, key []byte, found bool, value []byte) error {
	if err := checkFound(want, key, found); err != nil || !found {
		return err
	}
	if uint64(len(value)) != want.Index {
		return fmt.Errorf("key %x has a value of %d bytes now and had %d before, so no figure of this run is valid: stop the process that changes the database",
			key, len(value), want.Index)
	}
	return nil
}

func (d *drawn) Close() error {
	err := d.source.Close()
	if e := d.verify.Close(); err == nil {
		err = e
	}
	return err
}

// verifyCacheBytes is the cache size of the database that looks keys up.
const verifyCacheBytes = 64 << 20

// verifier returns a function that opens the database that looks keys up.
func verifier(s engine.Store) func() (engine.DB, error) {
	return func() (engine.DB, error) {
		return s.Open(engine.OpenConfig{CacheBytes: verifyCacheBytes, MaxOpenFiles: engine.AuxiliaryOpenFiles})
	}
}

// Sampled returns Gets of keys sampled from the store's tables. Popular keys are numbered by the
// random numbers with which they are sampled: there are as many numbers as records, and two may
// stand for the same key.
func Sampled(s engine.Store, r Random) (Sequence, error) {
	sampler, err := s.Sampler()
	if err != nil {
		return nil, err
	}
	return newDrawn(sampled{sampler, s}, r, verifier(s))
}

type sampled struct {
	sampler engine.Sampler
	store   engine.Store
}

func (sampled) kind() string   { return KindSampled }
func (s sampled) Close() error { return s.sampler.Close() }

func (sampled) prepare(context.Context, engine.DB) error { return nil }

func (s sampled) draw(rand func() uint64, buf []byte) ([]byte, error) {
	return s.sampler.Draw(rand, buf)
}

func (s sampled) population() (uint64, error) {
	records := s.store.Shape().Total().Records
	if records == 0 {
		return 0, fmt.Errorf("the tables of %s do not say how many keys they hold, so none can be more popular than others: list the keys with --keys-file", s.store.Info().Dir)
	}
	return uint64(records), nil
}

func (s sampled) numbered(_ uint64, rand func() uint64, buf []byte) ([]byte, error) {
	return s.sampler.Draw(rand, buf)
}
