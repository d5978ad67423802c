package twin

import (
	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/record"
)

// pageCaches are the page caches behind a block cache, one for each division of a memory.
type pageCaches struct {
	tree   *Tree
	caches []*cachesim.PageCache
	counts []cachesim.Device // of the current run
}

// newPageCaches returns page caches that are filled with pages of the tables. The block cache contains the blocks that begin
// in the sample.
func (t *Tree) newPageCaches(memory []record.PredictedMemory, sample cachesim.Sample) pageCaches {
	k := pageCaches{tree: t, counts: make([]cachesim.Device, len(memory))}
	files, ahead := t.files(), cachesim.ReadaheadOf(t.opts.Library.Cache)
	for _, m := range memory {
		var pages *cachesim.PageCache
		if sample > 1 {
			pages = cachesim.NewPageCacheOfBlocks(m.PageCacheBytes, ahead, files, sample)
		} else {
			pages = cachesim.NewPageCache(m.PageCacheBytes, ahead, files, cachesim.SampleOf(m.PageCacheBytes, len(memory)))
		}
		pages.Fill(wyrand.New(1))
		k.caches = append(k.caches, pages)
	}
	return k
}

// files returns the files of the tables. Their numbers are those of the tables.
func (t *Tree) files() (files []cachesim.File) {
	for i := range t.tables {
		files = append(files, cachesim.File{Number: uint64(t.tables[i].number), Bytes: int64(t.tables[i].bytes())})
	}
	return files
}

func (k *pageCaches) begin() { clear(k.counts) }

// miss reads a block that is not in the block cache.
func (k *pageCaches) miss(a *Access) {
	if len(k.caches) == 0 {
		return
	}
	file, offset := k.tree.locate(a)
	for i, pages := range k.caches {
		k.counts[i] = k.counts[i].Add(pages.Read(file, offset, int(a.stored)))
	}
}

// locate returns the file and the offset of a block.
func (t *Tree) locate(a *Access) (file uint64, offset int64) {
	p := &t.tables[a.table]
	return uint64(p.number), int64(p.offset(a.Block - p.first))
}

// inSample reports whether a block begins in a page of a sample.
func (t *Tree) inSample(s cachesim.Sample, a *Access) bool {
	file, offset := t.locate(a)
	return s.Has(file, offset/readpath.PageBytes)
}
