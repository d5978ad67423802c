//go:build !rocksdb

package rocksdb

import (
	"context"
	"errors"

	"getio/engine"
)

var errMissing = errors.New("this getio was built without RocksDB: install librocksdb-dev, or run 'make rocksdb-static', and build with 'make build'")

// missing takes the place of the engine in a binary without RocksDB. It only recognises databases.
type missing struct{}

// Engine is RocksDB.
var Engine engine.Engine = missing{}

// BlockBytes and FilterBytes are the library's.
const BlockBytes, FilterBytes = 0, 0

// Missing reports whether this binary was built without the library.
const Missing = true

func (missing) Name() string      { return name }
func (missing) Version() string   { return "(not built in)" }
func (missing) Presets() []string { return nil }

func (missing) Configure(string, []string) (engine.Config, error) { return nil, errMissing }

func (missing) Recognise(dir string, _ ...string) (engine.Recognised, error) {
	if _, err := readDirectory(dir); err != nil {
		return engine.Recognised{}, err
	}
	return engine.Recognised{}, &missingError{dir}
}

// missingError is the error for a database that this binary cannot read.
type missingError struct{ dir string }

func (m *missingError) Error() string {
	return m.dir + " is a RocksDB database, and " + errMissing.Error()
}
func (*missingError) Unwrap() error { return errMissing }

func (missing) Create(string, engine.Config) (engine.Loader, error) { return nil, errMissing }
func (missing) Resume(string, engine.Config) (engine.Loader, error) { return nil, errMissing }

func (missing) OpenStore(context.Context, string, engine.Config) (engine.Store, error) {
	return nil, errMissing
}
