package clientdb

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"getio/engine/mdbxfile"
	"getio/statedb/adapter"
	"getio/workload/popularity"
)

// lookup is an entry of a table, or one that the table does not hold.
type lookup struct {
	mdbxfile.Entry
	absent bool
}

// check compares an answer of MDBX with the pages of the table. In a table with several
// values of a key, MDBX also answers with the next value, so the value decides whether it found the entry.
func (l *lookup) check(a adapter.Answer) error {
	same := l.Value == nil || bytes.Equal(a.Value, l.Value)
	switch {
	case l.absent && a.Found && same:
		return fmt.Errorf("MDBX finds the key %x with the value %x, which its pages do not hold", l.Key, l.Value)
	case !l.absent && !a.Found:
		return fmt.Errorf("MDBX does not find the key %x, which its pages hold", l.Key)
	case !l.absent && !same:
		return fmt.Errorf("MDBX finds another value of the key %x than the one in its pages", l.Key)
	}
	return nil
}

// lookups draws the lookups in a table. They depend on the seed alone, and the existing entries are the
// same for any share of absent ones.
type lookups struct {
	sampler *mdbxfile.Sampler
	table   mdbxfile.Table
	absent  float64                   // share of lookups of absent entries
	choose  *rand.Rand                // decides which are absent
	popular *popularity.Distribution  // nil if all entries are equally popular
	rank    *rand.Rand                // draws from popular
	known   map[uint64]mdbxfile.Entry // popular entries by number, for which the sampler may draw another one later
	drawn   []lookup
}

// newLookups returns lookups in the i-th table.
func (m *measurement) newLookups(i int) (*lookups, error) {
	seed := m.Seed + uint64(i)
	sampler, err := m.db.NewSampler(m.Dir, m.tables[i], seed)
	if err != nil {
		return nil, err
	}
	// The sampler has the streams of the seed itself.
	l := &lookups{
		sampler: sampler, table: m.tables[i], absent: m.Absent,
		choose: rand.New(rand.NewPCG(^seed, 0)), rank: rand.New(rand.NewPCG(^seed, 1)),
	}
	if p := m.Popularity; !p.Uniform() {
		l.popular, l.known = p.Of(l.table.Entries, seed), map[uint64]mdbxfile.Entry{}
	}
	return l, nil
}

func (l *lookups) draw() error {
	e, number, err := l.entry()
	absent := l.choose.Float64() < l.absent
	if err == nil && absent {
		e, err = l.absentLike(e, number)
	}
	if err == nil {
		l.drawn = append(l.drawn, lookup{e, absent})
	}
	return err
}

// entry draws an entry and its number: among the popular ones, or of the lookup.
func (l *lookups) entry() (e mdbxfile.Entry, number uint64, err error) {
	if l.popular == nil {
		e, err = l.sampler.Next()
		return e, uint64(len(l.drawn)), err
	}
	number = l.popular.Number(l.rank.Uint64())
	e, ok := l.known[number]
	if !ok {
		if e, err = l.sampler.Numbered(number); err == nil {
			l.known[number] = e
		}
	}
	return e, number, err
}

// otherEntries is how many entries are tried instead of one that cannot be made absent.
const otherEntries = 100

// absentLike returns an absent entry like e. The same number gives the same one, so that absent
// entries are as popular as the ones that they are made from.
func (l *lookups) absentLike(e mdbxfile.Entry, number uint64) (absent mdbxfile.Entry, err error) {
	for try := range uint64(otherEntries) {
		absent, found, err := l.sampler.Absent(e, number)
		if found || err != nil {
			return absent, err
		}
		if e, err = l.sampler.Numbered(number ^ (try+1)<<32); err != nil {
			return absent, err
		}
	}
	return e, fmt.Errorf("table %s holds everything that %d of its keys were changed into, so no absent keys can be made: choose another table with --table, or leave --absent out",
		mdbxfile.Printable(l.table.Name), otherEntries)
}
