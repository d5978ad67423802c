// Package goleveldb measures github.com/syndtr/goleveldb, unmodified, in the
// version that geth links.
//
// Reads are counted in a storage.Storage of getio's own. Accesses are counted in
// the library's caches themselves, which it lets its user provide: whenever a
// block, or a table, was asked for and there, or read, the cache is told to promote
// it. A Get that misses a block which another one is reading waits for it and finds
// it: it counts as a hit, so that misses are reads.
//
// A block is charged to the cache with the capacity of the buffer that it lies in.
// Buffers come from a pool, of 1/4, 1/2, 1, 2 or 4 times the reader's block size and
// 5 bytes, or of any size above (leveldb/util/buffer_pool.go). A data block ends with
// the record that takes it to the block size or beyond (leveldb/table/writer.go,
// Append): if it is more than 5 bytes beyond, it is charged twice the block size, and
// a cache holds about half as many bytes of data blocks as its size says.
package goleveldb

import (
	"fmt"
	"slices"
	"strings"

	"getio/engine"
)

const modulePath = "github.com/syndtr/goleveldb"

const name = "goleveldb"

type goLevelDB struct{}

// Engine is goleveldb.
var Engine engine.Engine = goLevelDB{}

func (goLevelDB) Name() string      { return name }
func (goLevelDB) Version() string   { return engine.ModuleVersion(modulePath) }
func (goLevelDB) Presets() []string { return []string{"geth-leveldb", "leveldb"} }

func (e goLevelDB) Configure(preset string, overrides []string) (engine.Config, error) {
	if preset == "" {
		preset = e.Presets()[0]
	}
	if !slices.Contains(e.Presets(), preset) {
		return nil, fmt.Errorf("preset %q is not known to %s: use one of %s", preset, name, strings.Join(e.Presets(), ", "))
	}
	c := presets[preset]()
	c.preset = preset
	for _, o := range overrides {
		if err := options.Override(c, o); err != nil {
			return nil, err
		}
	}
	return c, c.verify()
}

func (goLevelDB) Recognise(dir string) (engine.Recognised, error) {
	_, err := readDirectory(dir)
	return engine.Recognised{}, err
}
