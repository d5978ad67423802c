package readpath

// PageBytes is the size of a page of the page cache. A device reads a file in whole pages, so a block that begins in the
// middle of one, as most do, costs more bytes than it has. Kernels for arm64 may have larger ones.
const PageBytes = 4 << 10

// Pages returns how many pages a read of n bytes at an offset touches. Without a page cache, the device reads these, and
// no others: point lookups read nothing ahead. Pebble and RocksDB open tables with POSIX_FADV_RANDOM, after which the
// kernel reads just the pages of each read. LevelDB gives no advice, and the kernel does the same for a "standalone, small
// random read" (mm/readahead.c, page_cache_sync_ra). It reads ahead of one at the beginning of a file, which is rare, and
// of one that is larger than its readahead, such as the filter of a large table in L0.
func Pages(off int64, n int) int64 {
	if n <= 0 {
		return 0
	}
	return (off+int64(n)-1)/PageBytes - off/PageBytes + 1
}

// MeanPageBytes returns the mean bytes of the pages that a number of reads with bytes in all touch, if each begins at any
// byte of a page with the same chance. It is exact whatever the sizes of the reads are, if each has a byte: n bytes touch one
// page, and one more for each border among the n-1 places between two bytes.
func MeanPageBytes(reads, bytes float64) float64 { return bytes + reads*(PageBytes-1) }
