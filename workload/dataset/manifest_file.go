package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"getio/system/atomicfile"
	"getio/system/filesystem"
)

// ErrNoManifest is wrapped by the error of Read if the directory has no getio.json, which
// means that getio did not write it.
var ErrNoManifest = errors.New("no " + ManifestName)

// maxManifestBytes limits the memory that a wrong file can take.
const maxManifestBytes = 1 << 20

// Read returns the validated manifest of the dataset in dir. Its error names the file and
// wraps ErrNoManifest if there is none.
func Read(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noManifest(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the dataset's manifest: %w", err)
	}
	m, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", path, err)
	}
	if m.Build == "" {
		return m, nil
	}
	if m.tree, err = ReadTree(dir); err != nil {
		return nil, err
	}
	if m.tree.Keys() != m.Keys {
		return nil, fmt.Errorf("%s has %d keys, but %s has %d: they belong to different datasets; build the dataset again", path, m.Keys, TreeName, m.tree.Keys())
	}
	return m, nil
}

func noManifest(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s, which does not exist: check the path", ErrNoManifest, dir)
	}
	return fmt.Errorf("%w in %s: give the directory of a dataset that getio loaded", ErrNoManifest, dir)
}

// readFile reads up to one byte more than a manifest may have, so that parse can reject
// larger files.
func readFile(path string) ([]byte, error) {
	file, err := filesystem.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
}

// parse decodes the schema first, since other fields may have other types in another schema.
func parse(data []byte) (*Manifest, error) {
	if len(data) > maxManifestBytes {
		return nil, fmt.Errorf("it is larger than %d bytes, so it is not a manifest: restore it, or load the dataset again", maxManifestBytes)
	}
	var header struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &header); err != nil {
		return nil, fmt.Errorf("invalid JSON (%w): restore it, or load the dataset again", err)
	}
	if header.Schema != Schema {
		return nil, fmt.Errorf("its schema %q is not the %q that this getio knows: use the getio that wrote it", header.Schema, Schema)
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("a field has an invalid value (%w): restore it, or load the dataset again", err)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("it describes an impossible dataset (%w): restore it, or load the dataset again", err)
	}
	if m.Sum != "" && m.Sum != m.identity() {
		return nil, errors.New("it was changed after getio wrote it, so the database may hold other keys: restore it, or load the dataset again")
	}
	return m, nil
}

// Write sets m.Schema and m.Sum and writes m to getio.json in dir, which must exist. It writes
// atomically: after a crash, the file is either the old one or the new one. It refuses to
// write a manifest that Read would reject.
func (m *Manifest) Write(dir string) error {
	path := filepath.Join(dir, ManifestName)
	m.Schema = Schema
	if err := m.Validate(); err != nil {
		return fmt.Errorf("refusing to write %s, which would describe an impossible dataset: %w", path, err)
	}
	m.Sum = m.identity()
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", path, err)
	}
	if len(data) >= maxManifestBytes {
		return fmt.Errorf("refusing to write %s, which would be larger than %d bytes: record fewer options", path, maxManifestBytes)
	}
	if err := atomicfile.ReplaceDurably(path, append(data, '\n')); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
