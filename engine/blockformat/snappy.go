package blockformat

// SnappyRule decides which blocks are stored compressed.
type SnappyRule string

const (
	// SnappyNever stores every block uncompressed.
	SnappyNever SnappyRule = ""
	// SnappyEighth stores a block compressed if that saves more than an eighth of its
	// length (12.5%), rounded down (LevelDB: table/table_builder.cc, WriteBlock; Pebble
	// v1: sstable/writer.go, compressAndChecksum).
	SnappyEighth SnappyRule = "eighth"
	// SnappyPercent12 stores a block compressed if that saves at least 12% (Pebble v2:
	// sstable/block/compressor.go, Compress, with the Snappy profile's minimum).
	SnappyPercent12 SnappyRule = "12%"
)

// Pays reports whether a block of n bytes is stored compressed when Snappy makes it m.
func (s SnappyRule) Pays(n, m int) bool {
	switch s {
	case SnappyEighth:
		return m < n-n/8
	case SnappyPercent12:
		return m*100 <= n*88
	}
	return false
}
