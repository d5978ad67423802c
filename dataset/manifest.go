package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Schema names the form of the manifest that this package reads and writes.
const Schema = "getio.dataset/1"

// ManifestName is the name of the manifest's file in a dataset's directory.
const ManifestName = "getio.json"

// Manifest is what getio.json records: what a dataset is, and whether its load
// finished. Fields that were not set are absent from the file; fields that this
// version does not know are ignored.
type Manifest struct {
	// Schema may be left empty: Write sets it.
	Schema string `json:"schema"`

	// Keys is the number of keys, at least 1.
	Keys uint64 `json:"keys"`
	// Keyspace, Values and Order are kinds, ValueSize is in bytes. With Seed,
	// from which all of them draw, they determine every key and value.
	Keyspace  string `json:"keyspace"`
	Values    string `json:"values"`
	ValueSize int    `json:"value_size"`
	Seed      uint64 `json:"seed,omitempty"`
	Order     string `json:"order"`
	// Batch is the number of keys written in one batch, 0 if each was set by
	// itself.
	Batch int `json:"batch,omitempty"`

	// Engine is the registered name of the engine that wrote the database, and
	// Options are the effective options that it was written with.
	Engine        string            `json:"engine"`
	EngineVersion string            `json:"engine_version,omitempty"`
	Preset        string            `json:"preset,omitempty"`
	Options       map[string]string `json:"options,omitempty"`

	// Build says how a dataset was put together table by table: BuildShaped or
	// BuildVirtual. It is empty for a natural load. The tables are in the tree
	// file, and their keys are the dataset's.
	Build string `json:"build,omitempty"`

	// DB is the directory of the database below that of the dataset, "db" if
	// empty, and "." when the database's files lie beside getio.json.
	DB string `json:"db,omitempty"`

	// Complete says that the load wrote every key. Progress is where an
	// unfinished load can resume, and nil for a complete one.
	Complete bool      `json:"complete"`
	Progress *Progress `json:"progress,omitempty"`

	// Updates are the rounds of updates that were begun, in order. A key may
	// have its value of the load or that of any round.
	Updates []Update `json:"updates,omitempty"`

	// Created and Finished are when the load began and ended, as RFC 3339.
	Created  time.Time `json:"created,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Getio is the version of getio that wrote the dataset.
	Getio string `json:"getio,omitempty"`

	tree *Tree // of a built dataset
}

// Ways to build a dataset table by table.
const (
	// BuildShaped writes whole tables.
	BuildShaped = "shaped"
	// BuildVirtual writes the tables' metadata only.
	BuildVirtual = "virtual"
)

// Tree is the tree of a dataset that was built, nil of any other.
func (m *Manifest) Tree() *Tree { return m.tree }

// SetTree makes the dataset one of the tree's keys.
func (m *Manifest) SetTree(t *Tree) {
	m.tree, m.Keys = t, t.Keys()
}

// Progress divides the positions of an unfinished load's order in three. A load
// raises Horizon before it writes beyond it, and Durable after a sync. Of a build,
// positions are those of its tree's tables, and both numbers are Durable.
type Progress struct {
	// Durable: all positions below it are written and synced.
	Durable uint64 `json:"durable"`
	// Horizon: positions from Durable up to it may or may not be written, and
	// none at or above it is.
	Horizon uint64 `json:"horizon"`
}

// Update is a round of updates: keys drawn at random, overwritten with the value
// that Values.Updated gives them for the round's number, which counts from 1. An
// updater records the round before it writes, so that a round cut short leaves
// no value that the manifest does not allow.
type Update struct {
	// Writes is the number of keys drawn, some of them more than once.
	Writes uint64 `json:"writes"`
	Seed   uint64 `json:"seed,omitempty"`
	// Finished says that all of them were made and the tree has settled since.
	Finished bool `json:"finished,omitempty"`
}

// Key returns the number of the key that write n of the round overwrites, in a
// dataset of the given number of keys.
func (u Update) Key(n, keys uint64) uint64 {
	return Bounded(Draw(u.Seed, n), keys)
}

// DBDir returns the directory of the database of the dataset in dir.
func (m *Manifest) DBDir(dir string) string {
	if m.DB == "" {
		return filepath.Join(dir, "db")
	}
	return filepath.Join(dir, m.DB)
}

// NewKeyspace returns the dataset's key space.
func (m *Manifest) NewKeyspace() (Keyspace, error) {
	if m.tree != nil {
		return m.tree.NewKeyspace(m.Seed), nil
	}
	return NewKeyspace(m.Keyspace, m.Keys, m.Seed)
}

// NewValues returns the dataset's values, of which Check accepts those of the
// load and of every round in Updates.
func (m *Manifest) NewValues() (Values, error) {
	values, err := NewValues(m.Values, m.ValueSize, m.Seed)
	if err != nil {
		return nil, err
	}
	return values.WithUpdates(uint64(len(m.Updates))), nil
}

// NewOrder returns the order of the dataset's load.
func (m *Manifest) NewOrder() (Order, error) {
	keys, err := m.NewKeyspace()
	if err != nil {
		return nil, err
	}
	return NewOrder(m.Order, keys, m.Seed)
}

// Validate returns nil for a manifest of a dataset that can exist, and otherwise
// says in part of a sentence what is wrong with it. Read and Write call it.
func (m *Manifest) Validate() error {
	if m.Schema != Schema {
		return fmt.Errorf("schema %q is not the %q that this getio knows", m.Schema, Schema)
	}
	for _, check := range []func() error{m.checkData, m.checkDatabase, m.checkLoad} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) checkData() error {
	if err := checkKeyspace(m.Keyspace, m.Keys); err != nil {
		return err
	}
	if err := checkValues(m.Values, m.ValueSize); err != nil {
		return err
	}
	return checkOrder(m.Order)
}

func (m *Manifest) checkDatabase() error {
	if m.Build != "" && m.Build != BuildShaped && m.Build != BuildVirtual {
		return fmt.Errorf("build %q is neither %q nor %q", m.Build, BuildShaped, BuildVirtual)
	}
	if m.Engine == "" {
		return errors.New("no engine is named")
	}
	if m.DB != "" && !filepath.IsLocal(m.DB) {
		return fmt.Errorf("database directory %q is not below the dataset's own", m.DB)
	}
	return nil
}

func (m *Manifest) checkLoad() error {
	if m.Batch < 0 {
		return fmt.Errorf("batch of %d keys is negative", m.Batch)
	}
	if !m.Complete && !m.Finished.IsZero() {
		return errors.New("load is finished but not complete")
	}
	p := m.Progress
	if p == nil {
		return nil
	}
	if m.Complete {
		return errors.New("load is complete but still in progress")
	}
	if p.Durable > p.Horizon || p.Horizon > m.Keys {
		return fmt.Errorf("progress of %d durable keys up to a horizon of %d is impossible with %d keys", p.Durable, p.Horizon, m.Keys)
	}
	return nil
}
