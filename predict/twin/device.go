package twin

import (
	"getio/engine/readpath"
	"getio/numbers/wyrand"
	"getio/predict/cachesim"
	"getio/record"
)

// DeviceCounts counts what devices read with one page cache.
type DeviceCounts struct{ Reads, Pages float64 }

func (d DeviceCounts) plus(more DeviceCounts, weight float64) DeviceCounts {
	return DeviceCounts{d.Reads + weight*more.Reads, d.Pages + weight*more.Pages}
}

// pageCaches are the page caches behind a block cache.
type pageCaches struct {
	tree *Tree
	// sampled means that the block cache sees only the blocks that begin in the pages of the sample.
	sampled bool
	caches  []*cachesim.PageCache
	counts  []cachesim.Device // of the present run
}

// newPageCaches returns a page cache for each division of a memory, full of the tables' pages. The block cache before it has
// the blocks that begin in the pages of the sample.
func (t *Tree) newPageCaches(memory []record.PredictedMemory, sample cachesim.Sample) pageCaches {
	k := pageCaches{tree: t, sampled: sample > 1, counts: make([]cachesim.Device, len(memory))}
	files := t.files()
	for _, m := range memory {
		of := sample
		if !k.sampled {
			of = cachesim.SampleOf(m.PageCacheBytes, len(memory))
		}
		pages := cachesim.NewPageCache(m.PageCacheBytes, cachesim.ReadaheadOf(t.opts.Library.Cache), files, of)
		pages.Fill(wyrand.New(1))
		k.caches = append(k.caches, pages)
	}
	return k
}

// files returns the files of the tables, which have the tables' numbers.
func (t *Tree) files() (files []cachesim.File) {
	for i := range t.tables {
		files = append(files, cachesim.File{Number: uint64(t.tables[i].number), Bytes: int64(t.tables[i].bytes())})
	}
	return files
}

func (k *pageCaches) begin() { clear(k.counts) }

// miss reads a block that the block cache lacks.
func (k *pageCaches) miss(a *Access) {
	if len(k.caches) == 0 {
		return
	}
	p := &k.tree.tables[a.table]
	file, offset := uint64(p.number), int64(p.offset(a.Block-p.first))
	for i, pages := range k.caches {
		read := pages.Read
		if k.sampled {
			read = pages.ReadBlock
		}
		k.counts[i] = k.counts[i].Add(read(file, offset, int(a.stored)))
	}
}

// begins returns the page in which a block begins.
func (t *Tree) begins(a *Access) (file uint64, page int64) {
	p := &t.tables[a.table]
	return uint64(p.number), int64(p.offset(a.Block-p.first)) / readpath.PageBytes
}

// estimate sets what devices read in a run.
func (k *pageCaches) estimate(to *Counts) {
	for _, d := range k.counts {
		to.Device = append(to.Device, DeviceCounts{float64(d.Reads), float64(d.Pages)})
	}
}
