package virtual

import (
	"sync"

	"getio/tree/rowtable"
)

// blockBuilder makes data blocks, one at a time.
type blockBuilder struct {
	writer *rowtable.Writer
	packed []byte // an index block as it is stored
	plain  []byte // an index block
	kept   []byte // another one
	value  []byte
	stored []byte // the data block made last
}

// builders are builders that are not in use.
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
