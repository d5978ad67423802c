package groundtruth

// patchesV1 make Pebble v1 count. All blocks come through Reader.readBlock; its
// callers on the path of a Get tell it the component, all others are Other.
var patchesV1 = []edit{
	{
		file: "sstable/reader.go", times: 1,
		old: importV1, new: importV1 + countersV1,
	},
	{
		file: "sstable/reader.go", times: 1,
		old: `func (r *Reader) readBlock(
	ctx context.Context,
	bh BlockHandle,
	transform blockTransform,
	readHandle objstorage.ReadHandle,
	stats *base.InternalIteratorStats,
	bufferPool *BufferPool,
) (handle bufferHandle, _ error) {
	if h := r.opts.Cache.Get(r.cacheID, r.fileNum, bh.Offset); h.Get() != nil {
		// Cache hit.
`,
		new: `func (r *Reader) readBlock(
	ctx context.Context,
	bh BlockHandle,
	transform blockTransform,
	readHandle objstorage.ReadHandle,
	stats *base.InternalIteratorStats,
	bufferPool *BufferPool,
) (handle bufferHandle, _ error) {
	return r.readBlockOf(groundtruth.Other, ctx, bh, transform, readHandle, stats, bufferPool)
}

func (r *Reader) readBlockOf(
	component groundtruth.Component,
	ctx context.Context,
	bh BlockHandle,
	transform blockTransform,
	readHandle objstorage.ReadHandle,
	stats *base.InternalIteratorStats,
	bufferPool *BufferPool,
) (handle bufferHandle, _ error) {
	groundtruth.Access(component)
	if h := r.opts.Cache.Get(r.cacheID, r.fileNum, bh.Offset); h.Get() != nil {
		// Cache hit.
		groundtruth.Hit(component)
`,
	},
	{
		file: "sstable/reader.go", times: 1,
		old: `	// Cache miss.
`,
		new: `	// Cache miss.
	groundtruth.Miss(component)
`,
	},
	{
		file: "sstable/reader.go", times: 1,
		old: `	readStartTime := time.Now()
`,
		new: `	groundtruth.Read(component)
	readStartTime := time.Now()
`,
	},
	{ // Reader.readIndex
		file: "sstable/reader.go", times: 1,
		old: `r.readBlock(ctx, r.indexBH, `,
		new: `r.readBlockOf(groundtruth.TopIndex, ctx, r.indexBH, `,
	},
	{ // Reader.readFilter
		file: "sstable/reader.go", times: 1,
		old: `r.readBlock(ctx, r.filterBH, `,
		new: `r.readBlockOf(groundtruth.Filter, ctx, r.filterBH, `,
	},
	{ // Reader.readMetaindex
		file: "sstable/reader.go", times: 1,
		old: `r.readBlock(
		context.Background(), metaindexBH, `,
		new: `r.readBlockOf(
		groundtruth.Metaindex, context.Background(), metaindexBH, `,
	},
	{ // Reader.readMetaindex
		file: "sstable/reader.go", times: 1,
		old: `	if bh, ok := meta[metaPropertiesName]; ok {
		b, err = r.readBlock(
			context.Background(), bh, `,
		new: `	if bh, ok := meta[metaPropertiesName]; ok {
		b, err = r.readBlockOf(
			groundtruth.Properties, context.Background(), bh, `,
	},
	{
		file: "sstable/reader_iter_two_lvl.go", times: 1,
		old: importV1, new: importV1 + countersV1,
	},
	{ // twoLevelIterator.loadIndex
		file: "sstable/reader_iter_two_lvl.go", times: 1,
		old: `i.reader.readBlock(ctx, bhp.BlockHandle, `,
		new: `i.reader.readBlockOf(groundtruth.Index, ctx, bhp.BlockHandle, `,
	},
	{
		file: "sstable/reader_iter_single_lvl.go", times: 1,
		old: importV1, new: importV1 + countersV1,
	},
	{ // singleLevelIterator.loadBlock
		file: "sstable/reader_iter_single_lvl.go", times: 1,
		old: `i.reader.readBlock(ctx, i.dataBH, `,
		new: `i.reader.readBlockOf(groundtruth.Data, ctx, i.dataBH, `,
	},
	{
		file: "sstable/table.go", times: 1,
		old: importV1, new: importV1 + countersV1,
	},
	{ // readFooter
		file: "sstable/table.go", times: 1,
		old: `		buf = buf[:size]
	}
`,
		new: `		buf = buf[:size]
	}
	groundtruth.Access(groundtruth.Footer)
	groundtruth.Read(groundtruth.Footer)
`,
	},
}

const (
	importV1   = "\t\"github.com/cockroachdb/pebble/internal/base\"\n"
	countersV1 = "\t\"github.com/cockroachdb/pebble/groundtruth\"\n"
)
