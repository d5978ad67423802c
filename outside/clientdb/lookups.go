package clientdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"getio/dataset/popularity"
	"getio/outside/adapter"
	"getio/outside/mdbxfile"
)

// lookup is an entry of a table, or one that the table does not hold.
type lookup struct {
	mdbxfile.Entry
	absent bool
}

// check compares what MDBX answers with what the pages of the table hold.
func (l *lookup) check(a adapter.Answer) error {
	same := l.Value == nil || bytes.Equal(a.Value, l.Value)
	switch {
	case l.absent && a.Found && same:
		return fmt.Errorf("finds the key %x that is in no page", l.Key)
	case !l.absent && !(a.Found && same):
		return fmt.Errorf("does not find the key %x in the pages", l.Key)
	}
	return nil
}

// lookups draws the lookups in a table, in an order that depends on the seed alone.
type lookups struct {
	sampler *mdbxfile.Sampler
	random  *rand.Rand
	absent  float64                   // share of lookups of absent entries
	popular *popularity.Distribution  // nil if all entries are equally popular
	known   map[uint64]mdbxfile.Entry // by their numbers in the distribution
	drawn   []lookup
}

// newLookups returns lookups in the i-th table.
func (m *measurement) newLookups(i int) (*lookups, error) {
	seed := m.Random.Seed + uint64(i)
	sampler, err := m.db.NewSampler(m.Dir, m.tables[i], seed)
	if err != nil {
		return nil, err
	}
	l := &lookups{sampler: sampler, random: rand.New(rand.NewPCG(seed, 1)), absent: m.Random.Absent}
	if p := m.Random.Popularity; !p.Uniform() {
		l.popular, l.known = p.Of(m.tables[i].Entries, seed), map[uint64]mdbxfile.Entry{}
	}
	return l, nil
}

// draw draws the next lookup.
func (l *lookups) draw() error {
	e, err := l.entry()
	absent := l.absent > 0 && l.random.Float64() < l.absent
	if err == nil && absent {
		e, err = l.sampler.Absent(e)
	}
	if err == nil {
		l.drawn = append(l.drawn, lookup{e, absent})
	}
	return err
}

// entry draws an entry. A popular one stays the same once it was drawn.
func (l *lookups) entry() (e mdbxfile.Entry, err error) {
	if l.popular == nil {
		return l.sampler.Next()
	}
	number := l.popular.Number(l.random.Uint64())
	e, ok := l.known[number]
	if !ok {
		if e, err = l.sampler.Numbered(number); err == nil {
			l.known[number] = e
		}
	}
	return e, err
}
