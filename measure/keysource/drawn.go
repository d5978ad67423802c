package keysource

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"getio/engine"
	"getio/engine/filelimit"
	"getio/workload"
	"getio/workload/dataset"
	"getio/workload/popularity"
)

// source draws existing keys.
type source interface {
	// prepare is called before drawing; db looks keys up.
	prepare(ctx context.Context, db engine.Lookups) error
	// draw draws a key for each choice. The same choice gives the same key.
	draw(ctx context.Context, from []choice) ([][]byte, error)
	// population returns the number of numbered keys.
	population() (uint64, error)
	Close() error
}

// choice is what the key of a Get is drawn by.
type choice struct {
	numbered bool // the key is the one with the number, since some keys are more popular than others
	number   uint64
	rand     func() uint64 // for the same number, the same random numbers
}

// drawn is a sequence of keys of a database that getio did not write. Keys are drawn outside the
// timed parts of a run and verified through a separate open of the database: deleted keys are
// replaced, and absent keys are really absent.
type drawn struct {
	source  source
	verify  engine.Lookups
	random  random
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
// same form. open opens what looks keys up. Closing the sequence closes both.
func newDrawn(s source, r workload.Keys, open func() (engine.Lookups, error)) (Sequence, error) {
	d := &drawn{source: s, random: random(r)}
	if !r.Popularity.Uniform() {
		n, err := s.population()
		if err != nil {
			s.Close()
			return nil, err
		}
		d.popular = random(r).of(n)
	}
	var err error
	if d.verify, err = open(); err != nil {
		s.Close()
		return nil, err
	}
	return d, nil
}

// redraws limits the draws in a row that give no key. It is reached only if almost all keys are deleted, or
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
	d.keys, d.wants = make([][]byte, n), make([]Want, n)
	if err := d.fill(ctx); err != nil {
		return err
	}
	if first == int64(len(d.keptKeys)) && first+n <= mostKept {
		d.keptKeys, d.keptWants = append(d.keptKeys, d.keys...), append(d.keptWants, d.wants...)
	}
	return nil
}

// fill draws the keys of all Gets, and again those for which a lookup does not confirm that they are present, or
// absent.
func (d *drawn) fill(ctx context.Context) error {
	left := make([]int, len(d.keys)) // Gets without a key
	from := make([]choice, len(d.keys))
	for i := range left {
		left[i], from[i] = i, d.choose(d.first+int64(i))
	}
	for failed := 0; len(left) > 0; {
		keys, err := d.source.draw(ctx, from)
		if err != nil {
			return err
		}
		err = filelimit.Each(ctx, len(left), func(i int) (err error) {
			d.keys[left[i]], d.wants[left[i]], err = d.confirm(d.first+int64(left[i]), keys[i], from[i].rand)
			return err
		})
		if err != nil {
			return err
		}
		again := 0
		for i, at := range left {
			if d.keys[at] == nil {
				left[again], from[again] = at, from[i]
				again++
			}
		}
		if failed += again; again < len(left) {
			failed = 0
		}
		left, from = left[:again], from[:again]
		if failed >= redraws {
			return d.giveUp(left, failed)
		}
	}
	return nil
}

// giveUp returns the error of Gets for which all keys of many draws failed.
func (d *drawn) giveUp(left []int, failed int) error {
	for _, i := range left {
		if !d.random.absent(d.first + int64(i)) {
			return fmt.Errorf("%d keys drawn in a row are deleted: list existing keys with --keys-file", failed)
		}
	}
	return errors.New("no absent keys can be made from this database's keys, since every change of a key's second half gives an existing one: measure existing keys only")
}

// confirm looks a drawn key up and, if Get g asks for an absent one, changes it. The key is nil if that is not there,
// or if the changed one is.
func (d *drawn) confirm(g int64, key []byte, rand func() uint64) (_ []byte, want Want, err error) {
	buf := values.Get().(*[]byte)
	defer values.Put(buf)
	value, found, err := lookUp(d.verify, key, *buf)
	if err != nil || !found {
		return nil, want, err
	}
	*buf = value
	if !d.random.absent(g) {
		return key, Want{Present: true, Index: uint64(len(value))}, nil
	}
	scramble(key, rand)
	_, found, err = lookUp(d.verify, key, *buf)
	if err != nil || found {
		return nil, want, err
	}
	return key, want, nil
}

// values are buffers for lookups.
var values = sync.Pool{New: func() any { return new([]byte) }}

// choose returns what the key of Get g is drawn by.
func (d *drawn) choose(g int64) choice {
	own := d.random.key(g)
	c := choice{numbered: d.popular != nil}
	if c.numbered {
		c.number = d.popular.Number(own)
		own = d.random.popular(c.number)
	}
	var n uint64
	c.rand = func() uint64 { n++; return dataset.Draw(own, n) }
	return c
}

// lookUp calls db.Get and turns a panic, which a damaged block may cause, into an error.
func lookUp(db engine.Lookups, key, buf []byte) (value []byte, found bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library panicked (%v): if the database is damaged, restore it from a copy", p)
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
	return errors.Join(d.source.Close(), d.verify.Close())
}

// lookups returns a function that returns the store's Lookups.
func lookups(s engine.Store) func() (engine.Lookups, error) {
	return func() (engine.Lookups, error) { return engine.OpenLookups(s) }
}

// Sampled returns Gets of the store's keys, each as likely as any other. Popular keys are numbered by the random
// numbers with which they are drawn: there are as many numbers as records, and several may stand for the same key.
func Sampled(s engine.Store, r workload.Keys) (Sequence, error) {
	sampler, err := s.Sampler()
	if err != nil {
		return nil, err
	}
	return newDrawn(sampled{sampler, s}, r, lookups(s))
}

type sampled struct {
	sampler engine.Sampler
	store   engine.Store
}

func (s sampled) Close() error                                { return s.sampler.Close() }
func (sampled) prepare(context.Context, engine.Lookups) error { return nil }

func (s sampled) draw(ctx context.Context, from []choice) ([][]byte, error) {
	rands := make([]func() uint64, len(from))
	for i := range from {
		rands[i] = from[i].rand
	}
	return s.sampler.Draw(ctx, rands)
}

func (s sampled) population() (uint64, error) {
	total := s.store.Shape().Total()
	records := total.Records + s.store.Info().WALKeys
	if total.Records == 0 && total.Tables > 0 || records == 0 {
		return 0, fmt.Errorf("the tables of %s do not say how many keys they hold, so none can be more popular than others: list the keys with --keys-file", s.store.Info().Dir)
	}
	return uint64(records), nil
}
