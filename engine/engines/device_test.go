package engines_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/internal/enginetest"
	"getio/system/device"
)

// onDevice reads past the page cache: each read of a table is then one read of the
// device, and the kernel accounts for exactly their blocks. With only the tables' pages
// dropped first, what reached the device is what the reading threads account for.
func (l *loaded) onDevice(t *testing.T) {
	s := l.store(t)
	for _, pages := range []device.PageCache{device.Bypass, device.Cold} {
		way := device.New(pages, device.Model{})
		db, err := s.Open(engine.OpenConfig{CacheBytes: 1 << 20, Device: way})
		if err != nil {
			t.Skipf("temporary files are not on a device: %v", err)
		}
		l.read(t, db, 500, 1)
		kernel, err := device.ReadProcessIO()
		if err != nil {
			t.Skip(err)
		}
		asked := way.Count()
		run := enginetest.Measured(t, db, func() { l.read(t, db, 2_000, 2) })
		count := way.Count().Sub(asked)
		after, err := device.ReadProcessIO()
		require.NoError(t, err)
		account := after.Sub(kernel)
		reads := run.Reads.Count.Sum()
		if pages == device.Bypass && count.Reads != reads || count.Reads > reads || count.Reads == 0 {
			t.Errorf("%s: %d reads of tables, %d of the device", pages, reads, count.Reads)
		}
		if count.Bytes != account.Bytes && account.Faults == 0 {
			t.Errorf("%s: %d bytes were read, the kernel accounts for %d", pages, count.Bytes, account.Bytes)
		}
		require.NoError(t, db.Close())
	}
}
