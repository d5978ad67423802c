package cell

import (
	"errors"
	"fmt"
	"path/filepath"

	"getio/engine"
	"getio/load"
	"getio/load/growth"
	"getio/measure/database"
	"getio/workload/dataset"
)

// Dataset is a database, wherever it lies.
type Dataset struct {
	// Name is the name of its directory.
	Name string `json:"name"`
	// Identity is the SHA-256 of manifest and tables; absent if each node makes the dataset.
	Identity string `json:"identity,omitempty"`
	// Checksum is the SHA-256 of the manifest and the list of tables; absent for a database that getio did not make.
	Checksum string `json:"checksum,omitempty"`
	// Recipe makes the same tables anywhere; absent where that is not possible.
	Recipe *Recipe `json:"recipe,omitempty"`
}

// Recipe says how the tables of a shaped or virtual tree are made.
type Recipe struct {
	Shape string `json:"shape,omitempty"` // of a published database; absent: the one that the keys grow into
	// Keys of the tree.
	Keys uint64 `json:"keys,omitempty"`
	// Values and the following are as in getio.json.
	Values    string   `json:"values"`
	ValueSize int      `json:"value_size"`
	Seed      uint64   `json:"seed"`
	Build     string   `json:"build"`
	Engine    string   `json:"engine"`
	Preset    string   `json:"preset,omitempty"`
	Options   []string `json:"options,omitempty"`
}

// Describe returns the dataset of an open database.
func Describe(d *database.Database, engines engine.Registry) (s Dataset, err error) {
	if d.Live() {
		return s, errors.New("a database in use changes, so no other machine has the same one: stop its client")
	}
	abs, err := filepath.Abs(d.Named)
	if err != nil {
		return s, err
	}
	s.Name = filepath.Base(abs)
	if s.Identity, err = d.Identity(); err == nil && d.Manifest != nil {
		s.Checksum, s.Recipe = d.Manifest.Checksum(), recipe(d.Manifest, engines)
	}
	return s, err
}

// Require refuses a database that is not the dataset, and returns its identity.
func (s *Dataset) Require(d *database.Database) (identity string, err error) {
	if identity, err = d.Identity(); err != nil {
		return "", err
	}
	other := s.Identity != "" && s.Identity != identity
	if s.Checksum != "" {
		other = other || d.Manifest == nil || d.Manifest.Checksum() != s.Checksum
	}
	if other {
		return "", fmt.Errorf("%s is another database than the %s of the plan: name the directory that holds that one with --data", d.Dir, s.Name)
	}
	return identity, nil
}

// recipe returns the recipe of a built dataset, nil if none makes the same tables.
func recipe(m *dataset.Manifest, engines engine.Registry) *Recipe {
	if m.Build == "" || len(m.Updates) > 0 {
		return nil
	}
	for _, shape := range append([]string{""}, growth.Names...) {
		r := &Recipe{
			Shape: shape, Keys: m.Keys, Values: m.Values, ValueSize: m.ValueSize, Seed: m.Seed, Build: m.Build,
			Engine: m.Engine, Preset: m.Preset, Options: m.Overrides(),
		}
		if job, err := r.Job(engines, "", 1); err == nil && job.Manifest.Checksum() == m.Checksum() {
			return r
		}
	}
	return nil
}

// Job prepares the load that makes the tables in a directory.
func (r *Recipe) Job(engines engine.Registry, dir string, workers int) (*load.Job, error) {
	m := &dataset.Manifest{
		Values: r.Values, ValueSize: r.ValueSize, Seed: r.Seed, Build: r.Build, Engine: r.Engine, Preset: r.Preset,
	}
	return load.NewTreeJob(engines, dir, m, r.Options, workers, load.NamedTree(r.Shape, r.Keys, m))
}
