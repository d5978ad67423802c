package watch

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/probetest"
	"getio/record"
)

// TestCold watches scans of tables that are not in the page cache beside Gets, with readahead and prefetches, and
// reads of other files: what came from devices is the kernel's account of the process.
func TestCold(t *testing.T) {
	for _, library := range probetest.Libraries() {
		t.Run(library, func(t *testing.T) {
			c := probetest.Config{
				Library: library, Dirs: directories(t, 1), Keys: 60_000, Gets: 300, Workers: 1, Settled: true, Cold: true, Cache: 256 << 10,
			}
			w := watchProgram(t, c, Options{ByCaller: true})
			if w.log.DeviceBytes == 0 {
				t.Skip("the files lie in memory")
			}
			w.requireExact(t, c)
			r := w.record
			require.NotNil(t, r.Device)
			assert.InEpsilon(t, w.log.DeviceBytes, r.Device.ProcessBytes, 0.05)
			assert.InEpsilon(t, w.log.DeviceBytes, r.Device.TableBytes+r.Device.FileBytes, 0.05)
			t.Logf("%+v of %d", r.Device, w.log.DeviceBytes)
			requireFiles(t, w)
			requireScans(t, w)
		})
	}
}

// requireFiles holds the reads of other files to the log.
func requireFiles(t *testing.T, w *watched) {
	files := map[record.FileKind]*record.WatchedFiles{}
	for _, f := range w.record.Files {
		files[f.Kind] = f
	}
	for kind, ending := range map[record.FileKind]string{record.FileFreezer: ".cdat", record.FileLog: ".log"} {
		f, logged := files[kind], w.log.Files[ending]
		require.NotNil(t, f, kind)
		assert.Equal(t, logged, probetest.Volume{Reads: f.Count, Bytes: f.Bytes}, kind)
		assert.NotNil(t, f.Latency)
	}
	// Half of the freezer's file was asked for at once, and an eighth of the rest was read.
	freezer := files[record.FileFreezer]
	assert.EqualValues(t, 1, freezer.Prefetches)
	assert.InEpsilon(t, freezer.Bytes, freezer.DeviceBytes, 0.05)
	assert.EqualValues(t, 512, freezer.FetchedAhead)
	assert.Equal(t, freezer.FetchedAhead, freezer.FromPageCache)
	assert.InEpsilon(t, 4<<20, files[record.FileLog].DeviceBytes, 0.05)
}

// requireScans holds the reads of iterators to the log.
func requireScans(t *testing.T, w *watched) {
	d := w.record.Databases[0]
	logged, first := map[string]int64{}, int64(0)
	for _, r := range w.log.Reads {
		if !r.OfGet {
			logged[r.Scan]++
		}
		if !r.Again {
			first++
		}
	}
	i := slices.IndexFunc(d.Causes, func(c *record.WatchedCause) bool { return c.Cause == record.CauseIterator })
	require.GreaterOrEqual(t, i, 0)
	it := d.Causes[i]
	require.NotNil(t, d.Iterators)
	assert.Equal(t, w.log.Scans, d.Iterators.Opened)
	seen := map[string]int64{}
	for _, c := range it.Callers {
		for name := range logged {
			if name != "" && strings.Contains(c.Method, name) {
				seen[name] += c.Count
			}
		}
	}
	assert.Equal(t, logged["ScanForward"], seen["ScanForward"], seen)
	assert.Equal(t, logged["ScanRanges"], seen["ScanRanges"], seen)
	var sum int64
	for _, part := range it.Components {
		sum += part.Reads
	}
	assert.Equal(t, it.Count, sum+it.UnmappedReads)
	assert.Positive(t, it.Components["data"].Reads)
	// The first read of a page is not served by what was in the page cache before, if nothing was. Pages that are being
	// written out cannot be dropped, nor can those of tables that the library has just compacted.
	if tables := w.log.DeviceBytes - files(w); tables < pagesOf(w.log.Reads)*pageBytes {
		t.Skipf("of the %d pages of tables that were read, %d bytes came from the device: the rest was in the page cache before", pagesOf(w.log.Reads), tables)
	}
	var fetched int64
	for _, c := range d.Causes {
		fetched += c.Count - c.FromPageCache + c.FetchedAhead
	}
	assert.InEpsilon(t, first, fetched, 0.05)
	t.Logf("%d of %d first reads of pages; iterators: %+v, %+v", fetched, first, it.WatchedReads, d.Iterators)
}

// pageBytes is the size of a page of the page cache.
const pageBytes = 4 << 10

// pagesOf returns how many pages of tables were read, once or several times.
func pagesOf(reads []probetest.Read) int64 {
	type page struct {
		db     int
		name   string
		number int64
	}
	pages := map[page]bool{}
	for _, r := range reads {
		for n := r.Offset / pageBytes; n*pageBytes < r.Offset+int64(r.Length); n++ {
			pages[page{r.DB, r.Name, n}] = true
		}
	}
	return int64(len(pages))
}

// files returns the bytes of other files that the program read, all of them from the device.
func files(w *watched) (bytes int64) {
	for _, volume := range w.log.Files {
		bytes += volume.Bytes
	}
	return bytes
}
