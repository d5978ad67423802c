package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoManifest is what Read's error wraps when the directory holds no
// getio.json: getio did not write it.
var ErrNoManifest = errors.New("no " + ManifestName)

// maxManifestBytes keeps a file that is no manifest from filling the memory.
const maxManifestBytes = 1 << 20

// Read returns the manifest of the dataset in dir. What it returns is valid. Its
// error names the file and wraps ErrNoManifest if there is none.
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
		return nil, fmt.Errorf("%s has %d keys and %s %d: they are not of one dataset, build it again", path, m.Keys, TreeName, m.tree.Keys())
	}
	return m, nil
}

func noManifest(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s, which does not exist: check the path", ErrNoManifest, dir)
	}
	return fmt.Errorf("%w in %s: give the directory of a dataset that getio loaded", ErrNoManifest, dir)
}

// readFile reads one byte more than a manifest may have, for parse to see.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
}

// parse looks at the schema alone first: in another schema, the other fields may
// have other types.
func parse(data []byte) (*Manifest, error) {
	if len(data) > maxManifestBytes {
		return nil, fmt.Errorf("it is larger than %d bytes and so no manifest: restore it, or load the dataset again", maxManifestBytes)
	}
	var header struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &header); err != nil {
		return nil, fmt.Errorf("it is not JSON of a manifest (%w): restore it, or load the dataset again", err)
	}
	if header.Schema != Schema {
		return nil, fmt.Errorf("its schema %q is not the %q that this getio knows: use the getio that wrote it", header.Schema, Schema)
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("a field has a value that it cannot have (%w): restore it, or load the dataset again", err)
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("it describes no dataset that can exist (%w): restore it, or load the dataset again", err)
	}
	return m, nil
}

// Write sets m.Schema and puts m into dir, which must exist, as its getio.json.
// After a crash at any moment the file is either the old one or the new one. It
// writes nothing that Read would refuse.
func (m *Manifest) Write(dir string) error {
	path := filepath.Join(dir, ManifestName)
	m.Schema = Schema
	if err := m.Validate(); err != nil {
		return fmt.Errorf("refusing to write %s, which would describe no dataset that can exist: %w", path, err)
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot encode %s: %w", path, err)
	}
	if len(data) >= maxManifestBytes {
		return fmt.Errorf("refusing to write %s, which would be larger than %d bytes: record fewer options", path, maxManifestBytes)
	}
	if err := replaceFile(path, append(data, '\n')); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// replaceFile puts data in path's place for good: what a rename makes visible
// has been synced before, and the rename itself is synced with the directory.
func replaceFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	temp, err := writeTemp(dir, data)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(dir)
}

// writeTemp returns the name of a new file in dir with data synced to it, and
// leaves none behind if it fails.
func writeTemp(dir string, data []byte) (name string, err error) {
	file, err := os.CreateTemp(dir, ManifestName+".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	// CreateTemp lets only the owner read; datasets are for everybody.
	err = cmp.Or(err, file.Chmod(0o644), file.Sync(), file.Close())
	if err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return cmp.Or(d.Sync(), d.Close())
}
