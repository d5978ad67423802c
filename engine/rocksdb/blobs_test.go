//go:build rocksdb

package rocksdb

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/readpath"
	"getio/engine/region"
	"getio/engine/rocksdb/rocksfile"
	"getio/internal/enginetest"
	"getio/internal/truth/truthtest"
	"getio/system/device"
	"getio/workload"
)

const blobOpenReads = 2 // header and footer

// blobDatabase is one that the truth program writes with values in blob files.
type blobDatabase struct {
	dir   string
	files int
}

func newBlobDatabase(t *testing.T, files int) blobDatabase {
	t.Helper()
	b := blobDatabase{filepath.Join(t.TempDir(), "db"), files}
	truthtest.Ask(t, "", "blobs", b.dir, fmt.Sprint(files))
	return b
}

func (b blobDatabase) keys() int { return 100 * b.files }

func blobKey(i int) []byte { return fmt.Appendf(nil, "key %06d", i) }

// value returns a key's value, and how many reads of blob files it takes.
func (b blobDatabase) value(i int) (value string, reads int64) {
	switch {
	case i == 0:
		return "short", 0
	case i == 3: // deleted
		return "", 0
	}
	value = strings.Repeat(string(rune('a'+i%26)), []int{1000, 500, 499}[i%3])
	if i%3 < 2 {
		reads = 1
	}
	return value, reads
}

// blobs is how many visible values lie in blob files.
func (b blobDatabase) blobs() (n int64) {
	for i := range b.keys() {
		_, reads := b.value(i)
		n += reads
	}
	return n
}

// visits is how many tables Gets of all keys consult. All tables lie in level 0, which RocksDB searches newest
// first. It does not compare key ranges of up to three tables (db/version_set.cc, FilePicker).
func (b blobDatabase) visits() (n int64) {
	for i := range b.keys() {
		table := i / 100
		if i == 0 || i == 3 { // written anew
			table = b.files - 1
		}
		n += int64(b.files - table)
	}
	return n
}

// requireGet looks a key up and returns the reads of it.
func (b blobDatabase) requireGet(t *testing.T, d *db, i int) readpath.Reads {
	t.Helper()
	want, _ := b.value(i)
	before := d.Counts()
	value, found, err := d.Get(blobKey(i), nil)
	require.NoError(t, err)
	require.Equal(t, i != 3, found, "key %d", i)
	require.Equal(t, want, string(value), "key %d", i)
	return d.Counts().Sub(before).Reads
}

// TestBlobReads: each Get makes as many reads of blob files as its value takes, whatever the cache. Only the
// first one in a file opens it.
func TestBlobReads(t *testing.T) {
	b := newBlobDatabase(t, 3)
	enginetest.RequireUnchanged(t, b.dir, func() {
		s := storeOf(t, b.dir)
		assert.EqualValues(t, b.files, s.Shape().BlobFiles)
		assert.EqualValues(t, 1, s.Info().WALKeys)
		// The database was written with a blob cache, which its options file does not say.
		assert.Equal(t, "kFlushOnly", s.Info().OptionsFile["Options.prepopulate_blob_cache"])
		assert.NotContains(t, s.Info().OptionsFile, "Options.blob_cache")
		for _, cache := range []int64{0, 4 << 20} {
			d := openDB(t, s, engine.OpenConfig{CacheBytes: cache})
			opened := map[int]bool{}
			run := enginetest.Measured(t, d, func() {
				for i := range b.keys() {
					reads := b.requireGet(t, d, i)
					_, want := b.value(i)
					assert.Equal(t, want, reads.Count[readpath.Blob], "key %d", i)
					opens := int64(0)
					if file := i / 100; want > 0 && !opened[file] {
						opened[file], opens = true, blobOpenReads
					}
					assert.Equal(t, opens, reads.Count[readpath.TableOpen], "key %d", i)
				}
			})
			assert.Equal(t, b.blobs(), run.Reads.Count[readpath.Blob])
			assert.Equal(t, &engine.BlobReads{Reads: b.blobs(), Bytes: run.Reads.Bytes[readpath.Blob]}, run.LibraryBlobs)
			assert.EqualValues(t, b.files, run.TableCacheMisses)
			assert.Equal(t, b.visits()+b.blobs(), run.TableCacheHits+run.TableCacheMisses)

			again := enginetest.Measured(t, d, func() {
				for i := range b.keys() {
					b.requireGet(t, d, i)
				}
				for _, absent := range []string{"a", "key 000000x", "z"} {
					_, found, err := d.Get([]byte(absent), nil)
					require.NoError(t, err)
					require.False(t, found)
				}
				value, found, err := d.Get(blobKey(900_000), nil) // in the log
				require.NoError(t, err)
				require.True(t, found)
				require.Len(t, value, 1000)
			})
			assert.Equal(t, b.blobs(), again.Reads.Count[readpath.Blob])
			assert.Zero(t, again.Reads.Count[readpath.TableOpen])
		}
	})
}

// TestBlobReadsAreTheLibrarys compares with a program that uses RocksDB unmodified: with the reads that it
// counts, and with the calls of the kernel.
func TestBlobReadsAreTheLibrarys(t *testing.T) {
	b := newBlobDatabase(t, 3)
	var keys [][]byte
	for i := range b.keys() {
		keys = append(keys, blobKey(7*i%b.keys()), blobKey(i+100_000))
	}
	for _, cache := range []int64{0, 16 << 10, 4 << 20} {
		compareGets(t, storeOf(t, b.dir), defaultFamily, keys, cache, 1000, "cached")
	}
}

// TestBlobFilesAreReopened: with fewer open files than there are, blob files are opened again, which is
// counted apart from their values.
func TestBlobFilesAreReopened(t *testing.T) {
	b := newBlobDatabase(t, 25)
	d := openDB(t, storeOf(t, b.dir), engine.OpenConfig{CacheBytes: 4 << 20, MaxOpenFiles: minOpenFiles})
	const rounds = 3
	run := enginetest.Measured(t, d, func() {
		for range rounds {
			for i := range b.keys() {
				b.requireGet(t, d, i)
			}
		}
	})
	assert.Equal(t, rounds*b.blobs(), run.Reads.Count[readpath.Blob])
	assert.Greater(t, run.TableCacheMisses, int64(rounds*b.files), "neither tables nor blob files were opened again")
}

// TestBlobReadsOfIterators: scans and lookups with iterators read the values of all keys that they return.
func TestBlobReadsOfIterators(t *testing.T) {
	b := newBlobDatabase(t, 3)
	s := storeOf(t, b.dir)
	scanned := openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20, Operation: workload.Scan})
	run := enginetest.Measured(t, scanned, func() {
		next := 0
		require.NoError(t, scanned.Scan(nil, blobKey(800_000), func(key, value []byte) error {
			if next == 3 {
				next++
			}
			want, _ := b.value(next)
			assert.Equal(t, string(blobKey(next)), string(key))
			assert.Equal(t, want, string(value))
			next++
			return nil
		}))
		assert.Equal(t, b.keys(), next)
	})
	assert.Equal(t, b.blobs(), run.Reads.Count[readpath.Blob])

	looked := openDB(t, s, engine.OpenConfig{CacheBytes: 1 << 20, Operation: workload.Multiget})
	run = enginetest.Measured(t, looked, func() {
		require.NoError(t, looked.Multiget([][]byte{blobKey(4), blobKey(5), blobKey(6)}, func(i int, value []byte, found bool) error {
			want, _ := b.value(4 + i)
			assert.True(t, found)
			assert.Equal(t, want, string(value))
			return nil
		}))
	})
	assert.EqualValues(t, 2, run.Reads.Count[readpath.Blob])

	// The iterator stops on the key behind the deleted one, and reads its value in vain.
	run = enginetest.Measured(t, looked, func() {
		require.NoError(t, looked.Multiget([][]byte{blobKey(3)}, func(_ int, _ []byte, found bool) error {
			assert.False(t, found)
			return nil
		}))
	})
	assert.EqualValues(t, 1, run.Reads.Count[readpath.Blob])
}

// TestBlobReadsOnDevice: past the page cache, a read of a blob file is a read of the device.
func TestBlobReadsOnDevice(t *testing.T) {
	b := newBlobDatabase(t, 3)
	way := device.New(device.Bypass, device.Model{})
	d, err := storeOf(t, b.dir).Open(engine.OpenConfig{CacheBytes: 4 << 20, Device: way})
	if err != nil && strings.Contains(err.Error(), " cannot be read past the page cache (") {
		t.Skipf("temporary files are not on a device: %v", err)
	}
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	before := way.Count()
	run := enginetest.Measured(t, d, func() {
		for i := range b.keys() {
			b.requireGet(t, d.(*db), i)
		}
	})
	assert.Positive(t, run.Reads.Count[readpath.Blob])
	assert.Equal(t, run.Reads.Count.Sum(), way.Count().Sub(before).Reads)
}

// TestTracedBlobReads: a trace names the blob file and the whole record, and no block that a cache could hold.
func TestTracedBlobReads(t *testing.T) {
	b := newBlobDatabase(t, 3)
	var traced []engine.TableRead
	d := openDB(t, storeOf(t, b.dir), engine.OpenConfig{Trace: func(r engine.TableRead) {
		if r.Component == readpath.Blob {
			traced = append(traced, r)
		}
	}})
	for i := range b.keys() {
		b.requireGet(t, d, i)
	}
	assert.Len(t, traced, int(b.blobs()))
	for _, r := range traced {
		assert.FileExists(t, filepath.Join(b.dir, fmt.Sprintf("%06d.blob", r.File)))
		assert.Zero(t, r.Block)
	}
}

// TestBlobChecksFail: each check fails if one of its counts is off.
func TestBlobChecksFail(t *testing.T) {
	b := newBlobDatabase(t, 3)
	d := openDB(t, storeOf(t, b.dir), engine.OpenConfig{})
	good := enginetest.Measured(t, d, func() { b.requireGet(t, d, 1) })
	for want, change := range map[string]func(*engine.Counts){
		"blob_reads":  func(c *engine.Counts) { c.LibraryBlobs = &engine.BlobReads{Bytes: c.LibraryBlobs.Bytes} },
		"blob_bytes":  func(c *engine.Counts) { c.LibraryBlobs = &engine.BlobReads{Reads: 1, Bytes: 5} },
		"table_opens": func(c *engine.Counts) { c.Reads.Footers-- },
		"regions":     func(c *engine.Counts) { c.Reads.Misplaced++ },
	} {
		run := good
		change(&run)
		failed := readpath.Checks(d.Check(run)).Failed()
		require.Len(t, failed, 1, want)
		assert.Equal(t, want, failed[0].Name)
	}
}

// TestDamagedBlobFiles: what is wrong with a blob file is an error, when the database is opened or when a Get
// needs the file, and never a figure.
func TestDamagedBlobFiles(t *testing.T) {
	b := newBlobDatabase(t, 2)
	paths, err := filepath.Glob(filepath.Join(b.dir, "*.blob"))
	require.NoError(t, err)
	require.Len(t, paths, b.files)
	whole, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	const header, recordHeader, footer = rocksfile.BlobHeaderLen, rocksfile.BlobRecordHeaderLen, rocksfile.BlobFooterLen
	// The record of key 1 follows that of key 0, whose header begins with the sizes of key and value.
	sizes := whole[header:]
	record := header + recordHeader + int(binary.LittleEndian.Uint64(sizes)+binary.LittleEndian.Uint64(sizes[8:]))
	changed := func(at int) []byte {
		data := slices.Clone(whole)
		data[at] ^= 1
		return data
	}
	const opening, reading = true, false
	for name, c := range map[string]struct {
		content []byte // nil removes the file
		fails   bool
		want    string
	}{
		"missing":         {nil, opening, `is damaged .*\(blob file 0.*\.blob is missing\): restore it from a copy`},
		"cut":             {whole[:len(whole)-5], opening, `\(blob file 0.*\.blob has [0-9]+ bytes, but the MANIFEST says [0-9]+\): restore it from a copy`},
		"header":          {changed(3), reading, `cannot be read \(Corruption.*restore it from a copy`},
		"footer":          {changed(len(whole) - footer + 3), reading, `cannot be read \(Corruption.*restore it from a copy`},
		"header of value": {changed(record), reading, `cannot be read \(Corruption.*restore it from a copy`},
		"value":           {changed(record + recordHeader + 12), reading, `cannot be read \(Corruption.*restore it from a copy`},
	} {
		require.NoError(t, os.RemoveAll(paths[0]))
		if c.content != nil {
			require.NoError(t, os.WriteFile(paths[0], c.content, 0o600))
		}
		s, err := Engine.OpenStore(context.Background(), b.dir, configured(t, ""))
		if c.fails == reading {
			require.NoError(t, err, name)
			var d engine.DB
			d, err = s.Open(engine.OpenConfig{})
			require.NoError(t, err, name)
			_, _, err = d.Get(blobKey(1), nil)
			require.NoError(t, d.Close())
			require.NoError(t, s.Close())
		}
		require.Error(t, err, name)
		assert.Regexp(t, c.want, err.Error(), name)
	}
}

// TestBlobFileGoneMeanwhile: if a blob file is removed after the inspection, the Get that needs it fails.
func TestBlobFileGoneMeanwhile(t *testing.T) {
	b := newBlobDatabase(t, 2)
	d := openDB(t, storeOf(t, b.dir), engine.OpenConfig{})
	paths, err := filepath.Glob(filepath.Join(b.dir, "*.blob"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(paths[0]))
	_, _, err = d.Get(blobKey(1), nil)
	assert.ErrorContains(t, err, b.dir+" cannot be read (")
	assert.ErrorContains(t, err, filepath.Base(paths[0]))
	_, found, err := d.Get(blobKey(101), nil)
	require.NoError(t, err)
	assert.True(t, found)
}

// TestPartialBlobReadIsMisplaced: a read of a blob file that is not one whole record makes the run fail.
func TestPartialBlobReadIsMisplaced(t *testing.T) {
	const header, recordHeader, footer = rocksfile.BlobHeaderLen, rocksfile.BlobRecordHeaderLen, rocksfile.BlobFooterLen
	const key, value = 3, 5
	file := make([]byte, header+2*(recordHeader+key+value)+footer)
	const record, end = recordHeader + key + value, header + 2*(recordHeader+key+value)
	for _, at := range []int{header, header + record} {
		binary.LittleEndian.PutUint64(file[at:], key)
		binary.LittleEndian.PutUint64(file[at+8:], value)
	}
	m := &region.Map{Size: int64(len(file)), BlobHeader: region.Extent{End: header}, Blobs: region.Extent{Off: header, End: end}}
	for _, c := range []struct {
		off, n    int64
		misplaced int64
	}{
		{header, record, 0}, {header + record, record, 0}, // each record
		{header, record - 1, 1}, {header, 2 * record, 1}, {header + recordHeader + key, value, 1}, // a part, both, the value alone
		{0, header, 0}, {end, footer, 0},
	} {
		counter := &region.Counter{}
		table := &openedTable{files: &files{}, regions: m, reader: bytes.NewReader(file), count: counter.Table(7, m)}
		_, _, err := table.read(make([]byte, c.n), c.off, false, 0)
		require.NoError(t, err)
		assert.Equal(t, c.misplaced, counter.Reads().Misplaced, "%d bytes at %d", c.n, c.off)
		assert.Zero(t, table.files.propertyReads.Load(), "%d bytes at %d", c.n, c.off)
	}
}
