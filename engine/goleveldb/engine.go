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

import "getio/engine"

const modulePath = "github.com/syndtr/goleveldb"

const name = "goleveldb"

type goLevelDB struct{}

// Engine is goleveldb.
var Engine engine.Engine = goLevelDB{}

func (goLevelDB) Name() string      { return name }
func (goLevelDB) Version() string   { return engine.ModuleVersion(modulePath) }
func (goLevelDB) Presets() []string { return configs.PresetNames() }

func (goLevelDB) Configure(preset string, overrides []string) (engine.Config, error) {
	return configs.Configure(preset, overrides)
}

func (goLevelDB) Recognise(dir string) (engine.Recognised, error) {
	_, err := readDirectory(dir)
	return engine.Recognised{}, err
}
