package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"path/filepath"
	"sort"
	"time"
)

// Schema is the schema of the manifest that this package reads and writes.
const Schema = "getio.dataset/1"

// ManifestName is the name of the manifest file in a dataset's directory.
const ManifestName = "getio.json"

// Manifest is the content of getio.json. It describes a dataset and records whether its load
// finished. Empty fields are omitted from the file; unknown fields are ignored.
type Manifest struct {
	// Schema may be left empty: Write sets it.
	Schema string `json:"schema"`

	// Keys is the number of keys, at least 1.
	Keys uint64 `json:"keys"`
	// Keyspace is a kind, which with values, order and seed determines every key and value.
	Keyspace  string `json:"keyspace"`
	Values    string `json:"values"`         // kind
	ValueSize int    `json:"value_size"`     // of each value
	Seed      uint64 `json:"seed,omitempty"` // of keys and values
	Order     string `json:"order"`          // kind: in which keys are written
	// Batch is the number of keys per write batch; absent if keys were written one by one.
	Batch int `json:"batch,omitempty"`

	Engine        string            `json:"engine"`                   // that wrote the database
	EngineVersion string            `json:"engine_version,omitempty"` // of its library
	Preset        string            `json:"preset,omitempty"`         // of its options
	Options       map[string]string `json:"options,omitempty"`        // the effective ones

	// Build is "shaped" or "virtual" for a dataset that was built table by table.
	Build string `json:"build,omitempty"`

	// DB is the database's directory, relative to the dataset's; absent: "db"; ".": beside this file.
	DB string `json:"db,omitempty"`

	// Complete means that the load wrote every key. getio reads no dataset that is incomplete.
	Complete bool `json:"complete"`
	// Progress is where an unfinished load can resume.
	Progress *Progress `json:"progress,omitempty"`

	// Updates lists the rounds of updates ("measure --update") that were started, in order.
	Updates []Update `json:"updates,omitempty"`

	// Levels are those of the tree after the load or the last updates; absent while the tree may change, for a built
	// tree that was never updated.
	Levels []Level `json:"levels,omitempty"`

	// Created is when the load began.
	Created  time.Time `json:"created,omitzero"`
	Finished time.Time `json:"finished,omitzero"` // when the load ended
	// Getio is the version of getio that wrote the dataset.
	Getio string `json:"getio,omitempty"`
	// Sum is the SHA-256 of what determines the contents: all other fields but progress, completion, levels, times,
	// versions and place. A file that was changed is refused.
	Sum string `json:"sum,omitempty"`

	tree *Tree // of a built dataset
}

// Level says how many tables a level has, and their bytes.
type Level struct {
	Level  int   `json:"level"`
	Tables int64 `json:"tables"`
	Bytes  int64 `json:"bytes"`
}

// Ways to build a dataset table by table.
const (
	// BuildShaped writes complete tables.
	BuildShaped = "shaped"
	// BuildVirtual writes only the metadata of tables.
	BuildVirtual = "virtual"
)

// Tree returns the tree of a built dataset, and nil for a natural load.
func (m *Manifest) Tree() *Tree { return m.tree }

// SetTree sets the tree of the dataset and its number of keys.
func (m *Manifest) SetTree(t *Tree) {
	m.tree, m.Keys = t, t.Keys()
}

// Progress records how far an unfinished load got, as positions in its order. A load
// raises Horizon before it writes beyond it, and Durable after a sync. In a build,
// positions count tables, and Durable and Horizon are equal.
type Progress struct {
	// Durable is the first position that may not be synced; all earlier ones are.
	Durable uint64 `json:"durable"`
	// Horizon is the first position that is certainly not written.
	Horizon uint64 `json:"horizon"`
}

// Update is a round of updates, which overwrites random keys with values from
// Values.Updated. Rounds are counted from 1. A round is recorded before it writes, so an
// interrupted round leaves no value that the manifest does not allow.
type Update struct {
	// Writes is the number of overwrites. A key may be drawn more than once.
	Writes uint64 `json:"writes"`
	Seed   uint64 `json:"seed,omitempty"` // of the keys drawn
	// Finished means that all writes were made and the tree has settled since.
	Finished bool `json:"finished,omitempty"`
}

// Key returns the number of the key that write n of the round overwrites. keys is the
// number of keys in the dataset.
func (u Update) Key(n, keys uint64) uint64 {
	return Bounded(Draw(u.Seed, n), keys)
}

// Kind is how the database was written: natural, shaped or virtual.
func (m *Manifest) Kind() string {
	if m.Build == "" {
		return "natural"
	}
	return m.Build
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

// NewValues returns the dataset's values. Their Check accepts the values of the load and
// of every round in Updates.
func (m *Manifest) NewValues() (*Values, error) {
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

// identity returns the SHA-256, in hexadecimal, of the fields that determine the contents. It leaves out place, versions
// and times, and what a load notes as it goes on: progress, completion and levels.
func (m *Manifest) identity() string {
	c := *m
	c.Complete, c.Progress, c.Created, c.Finished = false, nil, time.Time{}, time.Time{}
	c.EngineVersion, c.Getio, c.DB, c.Sum, c.Levels = "", "", "", "", nil
	text, _ := json.Marshal(c) // strings and numbers
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Checksum returns a checksum of what determines keys and values and, of a built dataset, the tables: SHA-256
// in hexadecimal. Naturally loaded trees of one checksum have the same keys in different tables.
func (m *Manifest) Checksum() string {
	h := sha256.New()
	fmt.Fprintln(h, m.identity())
	if m.tree != nil {
		text, _ := json.Marshal(m.tree.Tables) // strings and numbers
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Validate returns an error if the manifest describes an impossible dataset. The error only
// says what is wrong; Read and Write, which call Validate, add what to do.
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

// OptionOpenFiles is the option that limits open files. It describes the machine, not the dataset.
const OptionOpenFiles = "max_open_files"

// Overrides returns the options that the dataset was written with, except
// OptionOpenFiles, as sorted NAME=VALUE strings.
func (m *Manifest) Overrides() []string {
	overrides := make([]string, 0, len(m.Options))
	for name, value := range m.Options {
		if name != OptionOpenFiles {
			overrides = append(overrides, name+"="+value)
		}
	}
	sort.Strings(overrides)
	return overrides
}

// LeastBytes returns a lower bound of the space that the keys and values of the dataset take on disk: their random
// bytes, which no compression shortens. It is 0 for a virtual dataset, which keeps neither.
func (m *Manifest) LeastBytes() uint64 {
	if m.Build == BuildVirtual {
		return 0
	}
	high, bytes := bits.Mul64(m.Keys, uint64(randomKeyBytes+m.randomValueBytes()))
	if high > 0 {
		return math.MaxUint64
	}
	return bytes
}

// randomKeyBytes are random in each key whatever the number of keys. In sorted order, the 8 bytes before them may
// follow from the neighbouring keys.
const randomKeyBytes = KeySize - 8

func (m *Manifest) randomValueBytes() int {
	switch m.Values {
	case ValuesRandom:
		return m.ValueSize
	case ValuesAccounts:
		return 8 + 32 + 32 - 2 // nonce, balance and code hash; a bit each of the first two is fixed
	}
	return 0 // a pool is written once, if compression finds its values again
}
