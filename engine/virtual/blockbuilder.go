package virtual

import (
	"sync"

	"getio/engine/rowtable"
)

// blockBuilder generates data blocks, one at a time.
type blockBuilder struct {
	writer *rowtable.Writer
	packed []byte // an index block in its stored form
	plain  []byte // an index block, decompressed
	kept   []byte // another one
	value  []byte
	stored []byte // the last data block
}

// builderPool holds the builders that are not in use.
type builderPool struct {
	options rowtable.Options
	pool    sync.Pool
}

func (m *builderPool) get() *blockBuilder {
	if made, ok := m.pool.Get().(*blockBuilder); ok {
		return made
	}
	return &blockBuilder{writer: rowtable.NewWriter(m.options)}
}

func (m *builderPool) put(used *blockBuilder) { m.pool.Put(used) }
