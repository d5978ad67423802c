package statedb

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"getio/engine/readpath"
	"getio/numbers/interval"
	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/counter"
)

// reading is what lookups in a store cost, and what it says of itself after them.
type reading struct {
	rows   []record.StateRow
	memory int64 // anonymous, in bytes
	stats  []record.StateStat
}

// read opens the store with its smallest caches and makes the lookups of each kind: cold, and
// within budgets of these shares.
func (m *measurement) read(shares []float64) (r reading, err error) {
	if err := m.open(adapter.Read, 0); err != nil {
		return r, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.client.End())
		} else {
			err = m.end()
		}
	}()
	// Opening the store's files and reading their metadata is not counted.
	if err := m.lookups(kinds[0], m.openingLookups(), 0).all("opening files"); err != nil {
		return r, err
	}
	if r.memory, err = m.memory(); err != nil {
		return r, err
	}
	for i, k := range kinds {
		if k.proof && m.configuration.Proofs == adapter.NoProofs {
			continue
		}
		row, err := m.row(k, uint64(i+1)<<32)
		if err == nil && len(shares) > 0 {
			err = m.budgets(row, k, uint64(i+1)<<32+2, r.memory)
		}
		if err != nil {
			return r, err
		}
		r.rows = append(r.rows, *row)
	}
	r.stats, err = m.client.Stats()
	return r, err
}

// row makes cold lookups of one kind. seed is the first of their seeds.
func (m *measurement) row(k kind, seed uint64) (*record.StateRow, error) {
	// Proofs may be in files that other lookups do not read.
	if err := m.lookups(k, m.Lookups, seed).all("opening files"); err != nil {
		return nil, err
	}
	row := &record.StateRow{Kind: k.name}
	if m.workspace.counter == nil {
		return row, m.inside(row, m.lookups(k, m.Lookups, seed+1))
	}
	return row, m.cold(row, m.lookups(k, m.Lookups, seed+1))
}

// memory is the anonymous memory that the store needs with its smallest caches, once its files are
// open: without what its process keeps from earlier requests and does not use.
func (m *measurement) memory() (int64, error) {
	if m.workspace.counter == nil {
		return 0, nil
	}
	if m.drops() {
		if err := m.client.DropCaches(); err != nil {
			return 0, err
		}
	}
	if err := m.client.Quiesce(); err != nil {
		return 0, err
	}
	memory, err := m.workspace.counter.Memory()
	return memory.Anonymous, err
}

// smallTable is the smallest size of tables in use: LevelDB's.
const smallTable = 2 << 20

// openingLookups is the number of lookups that open a store's files: at least eight for each table that
// the store may have. Then about one table in 3,000 (e^-8) stays closed.
func (m *measurement) openingLookups() int {
	return max(m.Lookups, 8*int(m.storeBytes/smallTable))
}

// inside makes lookups counted only by the engine itself.
func (m *measurement) inside(row *record.StateRow, l *lookups) error {
	before, ok, err := m.engineCounts()
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s does not count its own reads: run as root, so that getio can count them from outside", m.record.Store.Name)
	}
	var reads []float64
	var bytes float64
	do := l.doing("counting inside")
	for i := range l.numbers {
		if err := do(i); err != nil {
			return err
		}
		after, _, err := m.engineCounts()
		if err != nil {
			return err
		}
		reads = append(reads, after.reads-before.reads)
		bytes += after.bytes - before.bytes
		before = after
	}
	row.Cold = meanReads(reads, bytes)
	row.OwnReads = new(row.Cold.Reads)
	// Only the engine counts here, so the check is of the answers. A wrong one ends the measurement.
	m.check(row.Kind, readpath.Checks{{Name: "values", OK: true, Detail: fmt.Sprintf("all %d lookups returned what was loaded", len(l.numbers))}})
	return nil
}

// meanReads is the mean over the reads of each lookup, with its 95% confidence interval; a single
// lookup has none.
func meanReads(reads []float64, bytes float64) record.StateReads {
	n := float64(len(reads))
	r := record.StateReads{Lookups: len(reads), Reads: floats.Sum(reads) / n, Bytes: bytes / n}
	if e, ok := interval.Mean(reads); ok { // cold lookups are independent
		lo, hi := e.Interval(interval.Usual)
		r.CI95 = &[2]float64{max(lo, 0), hi}
	}
	return r
}

// engineCounts is what the engine itself counts of its files.
type engineCounts struct{ reads, bytes, large, opens float64 }

func (m *measurement) engineCounts() (o engineCounts, ok bool, err error) {
	stats, err := m.client.Stats()
	for _, s := range stats {
		switch s.Name {
		case adapter.StatColdReads:
			o.reads, ok = s.Value, true
		case adapter.StatColdBytes:
			o.bytes = s.Value
		case adapter.StatColdLarge:
			o.large = s.Value
		case adapter.StatColdOpens:
			o.opens = s.Value
		}
	}
	return o, ok, err
}

// cold makes lookups that find all caches empty: the page cache, and those that the adapter
// can drop.
func (m *measurement) cold(row *record.StateRow, l *lookups) error {
	before, counts, err := m.engineCounts()
	if err != nil {
		return err
	}
	found, err := m.workspace.counter.Cold(len(l.numbers), m.dropping(1), l.doing("cold"))
	if err != nil {
		return err
	}
	row.Cold = coldReads(found)
	if l.proof {
		row.ProofBytes = float64(l.proofs) / float64(len(l.numbers))
	}
	m.check(row.Kind, found.Checks())
	if counts && !m.drops() {
		return m.ownReads(row, found, before)
	}
	return nil
}

// ownTolerance is the largest relative difference between the engine's count and the device's.
const ownTolerance = 0.01

// ownReads compares the engine's count with the device's. A read of more than 512 KiB is
// several device reads, so with such reads the device may count more.
func (m *measurement) ownReads(row *record.StateRow, found *counter.Cold, before engineCounts) error {
	after, _, err := m.engineCounts()
	if err != nil {
		return err
	}
	made := engineCounts{after.reads - before.reads, after.bytes - before.bytes, after.large - before.large, after.opens - before.opens}
	row.OwnReads = new(made.reads / float64(len(found.Lookups)))
	m.check(row.Kind, readpath.Checks{made.checkAgainst(float64(found.Total.Device.Reads), float64(found.Total.Device.Bytes))})
	return nil
}

func (o engineCounts) checkAgainst(reads, bytes float64) readpath.Check {
	agree := near(o.reads, reads) || o.large > 0 && reads > o.reads
	return readpath.Check{
		Name: "own", OK: agree && near(o.bytes, bytes),
		Detail: fmt.Sprintf("the engine counts %.0f reads of %.0f bytes in all, the device %.0f of %.0f; %.0f reads are larger than 512 KiB, and %.0f open tables",
			o.reads, o.bytes, reads, bytes, o.large, o.opens),
	}
}

func near(inside, device float64) bool { return math.Abs(inside-device) <= ownTolerance*device }

func coldReads(found *counter.Cold) record.StateReads {
	var reads []float64
	var bytes, meta float64
	for _, l := range found.Lookups {
		reads = append(reads, float64(l.Reads))
		bytes += float64(l.Bytes)
		meta += float64(l.Meta)
	}
	r := meanReads(reads, bytes)
	r.MetaReads = meta / float64(len(reads))
	if b := found.Total.Device.Bytes; b > 0 {
		r.Cached = float64(found.Cached) / float64(b)
	}
	return r
}
