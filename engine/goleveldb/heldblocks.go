package goleveldb

import (
	"sync"

	"github.com/syndtr/goleveldb/leveldb/cache"

	"getio/engine"
	"getio/engine/readpath"
)

// heldBytes bounds the filters and indexes that are kept in memory while accesses are traced. A table of 400 MB has 12 MB
// of them, which each Get that visits the table would read.
const heldBytes = 256 << 20

// heldBlocks keeps filters and indexes, and no data blocks, in the library's block cache. It traces each of their
// accesses as the read that a Get without a cache would make.
type heldBlocks struct {
	trace func(engine.TableRead)

	mu    sync.Mutex
	reads map[blockID]*heldRead
}

type blockID struct{ file, off uint64 }

// heldRead is the last read of a filter or index.
type heldRead struct {
	engine.TableRead
	looked bool // the access that caused the read was seen; later ones are hits
}

func newHeldBlocks(trace func(engine.TableRead)) *heldBlocks {
	return &heldBlocks{trace: trace, reads: map[blockID]*heldRead{}}
}

// read is called for each read of a table.
func (h *heldBlocks) read(r engine.TableRead) {
	if r.Component == readpath.Filter || r.Component == readpath.TopIndex {
		h.mu.Lock()
		h.reads[blockID{r.File, uint64(r.Offset)}] = &heldRead{TableRead: r}
		h.mu.Unlock()
	}
	h.trace(r)
}

// access traces an access of a block, unless its read was just traced, and reports whether the block is to be kept.
func (h *heldBlocks) access(file, off uint64) bool {
	h.mu.Lock()
	last := h.reads[blockID{file, off}]
	hit := last != nil && last.looked
	if last != nil {
		last.looked = true
	}
	h.mu.Unlock()
	if hit {
		h.trace(last.TableRead)
	}
	return last != nil
}

// cacher counts accesses, as accesses.blockCacher does, and traces them.
func (h *heldBlocks) cacher(a *accesses) onLookup {
	return func(n *cache.Node) bool {
		a.block(n.NS(), n.Key())
		return h.access(n.NS(), n.Key())
	}
}
