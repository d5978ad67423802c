// Package statedb measures the reads of one lookup in a state database. The store runs as an
// adapter on a private disk and in a control group of its own, and its reads are counted from
// outside. Stores that are measured by one plan have the same keys, values and memory.
package statedb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/counter"
	"getio/workload/dataset"
)

// Plan is how to measure stores.
type Plan struct {
	Question
	// Place is where the private disk, or the directory of a store whose reads are counted inside, takes
	// its space. Its size follows from the workload, unless Bytes is set.
	Place counter.Place
	// Timeout is how long an adapter may be silent; 0 takes the default of each request.
	Timeout  time.Duration
	Progress func(phase string, done, total uint64, unit string)
}

// Store is a state database to be measured.
type Store struct {
	Name    string // of the side, in records
	Command []string
	// Given is the command of a store of the user's, as it was given; absent for those that getio knows.
	Given         []string
	Configuration string // empty takes the default
	Options       []string
	// DiskPerKey is the bytes per key of the disk that it is loaded on; 0 if unknown.
	DiskPerKey int64
	Memory     Memory // zero if unknown
	// OneProcessor is for a store that is loaded on one processor, so that its threads cannot make
	// what lookups read depend on which of them is first.
	OneProcessor bool
}

const (
	// loadCacheBytes is the cache budget while loading. Lookups use the smallest caches.
	loadCacheBytes = 256 << 20
	// commitEvery is the number of keys per commit.
	commitEvery = 100_000
	// settleEvery is the number of keys between waits for the store to settle. It is about a
	// write buffer, so that an LSM tree's compactions find the same tables in every load.
	settleEvery = 4 * commitEvery
	// loadEvery is the number of records per frame.
	loadEvery = 1000
)

// Measure loads a store, looks up keys in it, and removes it. If its private disk was planned too
// small, it starts again with a larger one.
func (p *Plan) Measure(ctx context.Context, s Store) (*record.State, error) {
	begun := time.Now()
	bytes := p.Disk(s)
	for {
		r, err := p.measure(ctx, s, bytes)
		if err == nil {
			r.Seconds = time.Since(begun).Seconds()
		}
		full, ok := errors.AsType[*fullDisk](err)
		if !ok || p.Place.Bytes > 0 {
			return r, err
		}
		bytes *= 2
		if p.Progress != nil {
			p.Progress(fmt.Sprintf("%s: %v; load again with %s", s.Name, full, humanize.IBytes(uint64(bytes))), 0, 0, "")
		}
	}
}

func (p *Plan) measure(ctx context.Context, s Store, diskBytes int64) (r *record.State, err error) {
	records, err := p.records()
	if err != nil {
		return nil, err
	}
	workspace, err := p.newWorkspace(diskBytes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, workspace.close()) }()
	m := &measurement{Plan: p, store: s, workspace: workspace, records: records, ctx: ctx, record: p.describe(s)}
	if err := m.run(); err != nil {
		return nil, workspace.explain(err)
	}
	m.record.Time = time.Now().UTC().Truncate(time.Second)
	return m.record, nil
}

// run fills the record.
func (m *measurement) run() (err error) {
	if err := m.load(); err != nil {
		return err
	}
	m.record.OpeningLookups = m.openingLookups()
	r, err := m.read(m.Shares)
	if err != nil {
		return err
	}
	m.record.Rows, m.record.AnonymousBytes, m.record.Store.Stats = r.rows, r.memory, r.stats
	return m.wear()
}

// records are the keys and values of a plan.
type records struct {
	keys   dataset.Keyspace
	values *dataset.Values
}

func (p *Plan) records() (r records, err error) {
	if r.keys, err = dataset.NewKeyspace(dataset.KeyspaceKeccak, p.Keys, p.Seed); err != nil {
		return r, err
	}
	r.values, err = dataset.NewValues(p.Values, p.ValueSize, p.Seed)
	return r, err
}

func (p *Plan) describe(s Store) *record.State {
	return &record.State{
		Schema: record.StateSchema, Label: s.Name, Command: s.Command, AdapterOptions: s.Options, Lookups: p.Lookups,
		Keys: p.Keys, KeySize: dataset.KeySize, Keyspace: dataset.KeyspaceKeccak, Values: p.Values, ValueSize: p.ValueSize, Seed: p.Seed,
		Counted: p.Counted, Environment: record.ThisMachine(),
	}
}

// measurement is the measurement of one store.
type measurement struct {
	*Plan
	store     Store
	workspace *workspace
	records   records
	ctx       context.Context
	record    *record.State

	client        *adapter.Client
	configuration *adapter.Configuration
	root          []byte
	storeBytes    int64   // size of the store's files after the last write
	overwritten   numbers // of keys that have other values since the load
	phase         string  // begins the names of phases and checks, if not empty
}

// open starts the adapter and opens the store. Lookups are made one at a time, so one processor will
// do: runtimes such as Go's take memory for each, which would count as the store's.
func (m *measurement) open(mode adapter.Mode, cache uint64) (err error) {
	oneProcessor := mode == adapter.Read || m.store.OneProcessor
	if m.client, err = m.workspace.start(m.ctx, m.store.Command, m.Timeout, oneProcessor); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.client.End())
		}
	}()
	m.client.Working = func(text string) { m.progress(text, 0, 0, "") }
	hello := m.client.Hello()
	if m.configuration, err = m.store.configuration(&hello, m.ValueSize); err != nil {
		return err
	}
	opened, err := m.client.Open(adapter.Open{
		Dir: m.workspace.store, Configuration: m.configuration.Name, Mode: mode, Keys: m.Keys, CacheBytes: cache, Options: m.store.Options,
	})
	if err != nil || mode != adapter.Read {
		return err
	}
	if string(opened.Root) != string(m.root) {
		return fmt.Errorf("%s has root %x after reopening, and had %x before", hello.Engine, opened.Root, m.root)
	}
	if m.record.Store.Name == "" {
		m.note(&hello, opened)
	}
	return nil
}

// note records the store's version and options.
func (m *measurement) note(hello *adapter.Hello, opened adapter.Opened) {
	m.record.Store = greeted(hello, m.configuration)
	m.record.Store.Options = map[string]string{}
	for _, o := range opened.Options {
		m.record.Store.Options[o.Name] = o.Value
	}
}

func (m *measurement) end() error { return errors.Join(m.client.Close(), m.client.End()) }

func (m *measurement) progress(phase string, done, total int, unit string) {
	if m.Progress != nil {
		m.Progress(m.store.Name+": "+phase, uint64(done), uint64(total), unit)
	}
}
