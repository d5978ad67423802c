package virtual

import (
	"sync"

	"getio/tree/rowtable"
)

// maker makes data blocks, one at a time.
type maker struct {
	writer *rowtable.Writer
	packed []byte // an index block as it is stored
	plain  []byte // an index block
	kept   []byte // another one
	value  []byte
	stored []byte // the data block made last
}

// makers are makers that are not in use.
type makers struct {
	options rowtable.Options
	pool    sync.Pool
}

func (m *makers) get() *maker {
	if made, ok := m.pool.Get().(*maker); ok {
		return made
	}
	return &maker{writer: rowtable.NewWriter(m.options)}
}

func (m *makers) put(used *maker) { m.pool.Put(used) }
