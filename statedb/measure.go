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

	"getio/engine/readpath"
	"getio/record"
	"getio/statedb/adapter"
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
	storeBytes    int64  // size of the store's files after the last write
	phase         string // begins the names of phases and checks, if not empty
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
		m.record.Store = greeted(&hello, m.configuration)
		m.record.Store.Options = map[string]string{}
		for _, o := range opened.Options {
			m.record.Store.Options[o.Name] = o.Value
		}
	}
	return nil
}

func (m *measurement) end() error { return errors.Join(m.client.Close(), m.client.End()) }

// drops reports whether the adapter must drop caches before a lookup is cold, because some
// are not empty even with a budget of 0.
func (m *measurement) drops() bool { return m.droppedCaches() > 0 }

// dropping drops the store's caches before every n-th lookup, if there are any to drop.
func (m *measurement) dropping(every int) func(i int) error {
	if !m.drops() {
		return nil
	}
	return func(i int) error {
		if i%every > 0 {
			return nil
		}
		return m.client.DropCaches()
	}
}

func (m *measurement) progress(phase string, done, total int, unit string) {
	if m.Progress != nil {
		m.Progress(m.store.Name+": "+phase, uint64(done), uint64(total), unit)
	}
}

// check adds the checks of one kind of lookups.
func (m *measurement) check(kind string, checks readpath.Checks) {
	for _, c := range checks {
		c.Detail = m.phase + kind + ": " + c.Detail
		m.record.Checks = append(m.record.Checks, c)
	}
}
