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
