package pebblev2

import (
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"getio/engine"
	"getio/engine/pebble/pebbledb"
)

// Install implements engine.Builder.
func (e pebbleEngine) Install(dir string, cfg engine.Config, tables []engine.BuiltTable) error {
	if _, err := e.TableOptions(cfg); err != nil {
		return err
	}
	return pebbledb.Install(dir, tables, func() (pebbledb.NewFiles, error) { return e.newFiles(cfg) })
}

// newFiles returns the files of a new database, created in memory.
func (e pebbleEngine) newFiles(cfg engine.Config) (pebbledb.NewFiles, error) {
	const dir = "a new database in memory" // errors name it
	mem := vfs.NewMem()
	l, err := e.openLoader(dir, cfg, func(o *pebble.Options) { o.FS = mem })
	if err != nil {
		return nil, err
	}
	if err := l.Close(); err != nil {
		return nil, err
	}
	names, err := mem.List(dir)
	if err != nil {
		return nil, err
	}
	return pebbledb.ReadFiles(names, func(name string) (io.ReadCloser, error) { return mem.Open(mem.PathJoin(dir, name)) })
}
