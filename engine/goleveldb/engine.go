// Package goleveldb measures github.com/syndtr/goleveldb, unmodified, in the
// version that geth links.
//
// Reads are counted in a storage.Storage of getio. Accesses are counted in the library's caches, which
// its user may provide: after each lookup the library tells the cache to promote the block or table,
// and each promotion is one access. A Get that misses a block while another reads it waits and finds
// it; that counts as a hit, so that misses are reads.
//
// The cache charges a block the capacity of its buffer. Buffers come from a pool of sizes:
// the reader's block size plus 5 bytes, times 1/4, 1/2, 1, 2 or 4, or any larger size
// (leveldb/util/buffer_pool.go). A data block ends with the record that takes it to the
// block size or beyond (leveldb/table/writer.go, Append). A block that is more than 5 bytes
// larger is charged twice the block size, so that a cache holds about half its size in data
// blocks.
//
// LevelDB in C++ writes the same files, with filters of another name. With the option client=leveldb, Gets read as that
// does: open tables hold their index and filter outside the cache, which charges a block its own size. The library
// makes the Gets then too, with caches that keep these blocks until their table is closed.
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

func (goLevelDB) Recognise(dir string, _ ...string) (engine.Recognised, error) {
	d, err := readDirectory(dir)
	if err != nil {
		return engine.Recognised{}, err
	}
	if d.client() == clientOriginal {
		// The original's own default (include/leveldb/options.h).
		return engine.Recognised{Options: []string{"client=" + clientOriginal, "max_open_files=1000"}}, nil
	}
	return engine.Recognised{}, nil
}
