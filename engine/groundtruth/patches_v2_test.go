package groundtruth

// patchesV2 make Pebble v2 count. All blocks come through block.Reader.Read;
// its callers on the path of a Get tell it the component, all others are Other.
var patchesV2 = []edit{
	{
		file: "sstable/block/block.go", times: 1,
		old: importV2, new: importV2 + countersV2,
	},
	{
		file: "sstable/block/block.go", times: 1,
		old: `func (r *Reader) Read(
	ctx context.Context,
	env ReadEnv,
	readHandle objstorage.ReadHandle,
	bh Handle,
	kind Kind,
	initBlockMetadataFn func(*Metadata, []byte) error,
) (handle BufferHandle, _ error) {
`,
		new: `func (r *Reader) Read(
	ctx context.Context,
	env ReadEnv,
	readHandle objstorage.ReadHandle,
	bh Handle,
	kind Kind,
	initBlockMetadataFn func(*Metadata, []byte) error,
) (handle BufferHandle, _ error) {
	return r.ReadOf(groundtruth.Other, ctx, env, readHandle, bh, kind, initBlockMetadataFn)
}

func (r *Reader) ReadOf(
	component groundtruth.Component,
	ctx context.Context,
	env ReadEnv,
	readHandle objstorage.ReadHandle,
	bh Handle,
	kind Kind,
	initBlockMetadataFn func(*Metadata, []byte) error,
) (handle BufferHandle, _ error) {
	groundtruth.Access(component)
`,
	},
	{ // A table being opened: looked up in the cache, never put there.
		file: "sstable/block/block.go", times: 1,
		old: `bh.Offset); cv != nil {
				recordCacheHit(ctx, env, readHandle, bh)
`,
		new: `bh.Offset); cv != nil {
				groundtruth.Hit(component)
				recordCacheHit(ctx, env, readHandle, bh)
`,
	},
	{ // cache.Handle.GetWithReadHandle says of a value that it was no hit if
		// it came from another caller's read.
		file: "sstable/block/block.go", times: 1,
		old: `		if hit {
			recordCacheHit(ctx, env, readHandle, bh)
		}
`,
		new: `		if hit {
			groundtruth.Hit(component)
			recordCacheHit(ctx, env, readHandle, bh)
		} else {
			groundtruth.Miss(component)
			groundtruth.Wait(component)
		}
`,
	},
	{ // both of Read's ways to a read
		file: "sstable/block/block.go", times: 2,
		old: `value, err := r.doRead(ctx, `,
		new: `groundtruth.Miss(component)
		value, err := r.doRead(component, ctx, `,
	},
	{
		file: "sstable/block/block.go", times: 1,
		old: `func (r *Reader) doRead(
`,
		new: `func (r *Reader) doRead(
	component groundtruth.Component,
`,
	},
	{
		file: "sstable/block/block.go", times: 1,
		old: `	compressed := Alloc(int(bh.Length+TrailerLen), env.BufferPool)
	readStopwatch := makeStopwatch()
`,
		new: `	compressed := Alloc(int(bh.Length+TrailerLen), env.BufferPool)
	groundtruth.Read(component)
	readStopwatch := makeStopwatch()
`,
	},
	{
		file: "sstable/reader.go", times: 1,
		old: importV2, new: importV2 + countersV2,
	},
	{ // Reader.readTopLevelIndexBlock
		file: "sstable/reader.go", times: 1,
		old: `return r.readIndexBlock(ctx, env, readHandle, r.indexBH)`,
		new: `return r.blockReader.ReadOf(groundtruth.TopIndex, ctx, env, readHandle, r.indexBH, blockkind.Index, r.initIndexBlockMetadata)`,
	},
	{ // Reader.readIndexBlock, which is left with the second level
		file: "sstable/reader.go", times: 1,
		old: `return r.blockReader.Read(ctx, env, readHandle, bh, blockkind.Index, `,
		new: `return r.blockReader.ReadOf(groundtruth.Index, ctx, env, readHandle, bh, blockkind.Index, `,
	},
	{ // Reader.readDataBlock
		file: "sstable/reader.go", times: 1,
		old: `return r.blockReader.Read(ctx, env, readHandle, bh, blockkind.SSTableData, `,
		new: `return r.blockReader.ReadOf(groundtruth.Data, ctx, env, readHandle, bh, blockkind.SSTableData, `,
	},
	{ // Reader.readFilterBlock
		file: "sstable/reader.go", times: 1,
		old: `return r.blockReader.Read(ctx, env, readHandle, bh, blockkind.Filter, `,
		new: `return r.blockReader.ReadOf(groundtruth.Filter, ctx, env, readHandle, bh, blockkind.Filter, `,
	},
	{ // Reader.readMetaindexBlock
		file: "sstable/reader.go", times: 1,
		old: `return r.blockReader.Read(ctx, env, readHandle, r.metaindexBH, `,
		new: `return r.blockReader.ReadOf(groundtruth.Metaindex, ctx, env, readHandle, r.metaindexBH, `,
	},
	{ // Reader.readPropertiesBlockInternal
		file: "sstable/reader.go", times: 1,
		old: `b, err := r.blockReader.Read(ctx, env, readHandle, r.propertiesBH, `,
		new: `b, err := r.blockReader.ReadOf(groundtruth.Properties, ctx, env, readHandle, r.propertiesBH, `,
	},
	{
		file: "sstable/table.go", times: 1,
		old: importV2, new: importV2 + countersV2,
	},
	{ // readFooter
		file: "sstable/table.go", times: 1,
		old: `	buf, err = block.ReadRaw(ctx, f, `,
		new: `	groundtruth.Access(groundtruth.Footer)
	groundtruth.Read(groundtruth.Footer)
	buf, err = block.ReadRaw(ctx, f, `,
	},
}

const (
	importV2   = "\t\"github.com/cockroachdb/pebble/v2/internal/base\"\n"
	countersV2 = "\t\"github.com/cockroachdb/pebble/v2/groundtruth\"\n"
)
