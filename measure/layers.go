package measure

import (
	"fmt"

	"getio/engine"
	"getio/engine/readpath"
	"getio/system/device"
)

// layers counts what reached the device during Gets. It excludes the time between batches, when
// drawing keys may read tables too. A nil layers counts nothing.
type layers struct {
	way  *device.Layer
	made bool        // data blocks are virtual, so there is no device
	disk device.Disk // named only if its reads are counted

	asked     device.Count // reads of tables that reached the device
	account   device.ProcessIO
	diskReads int64
	err       error // why account is not known
}

// newLayers returns the layers between a store and its device.
func newLayers(s engine.Store, way *device.Layer) *layers {
	l := &layers{way: way, made: s.Info().Virtual}
	// Other processes use the disk too: its count is useful only beside the count of own reads.
	if way.PageCache() != device.Keep {
		if disk, err := device.DiskOf(s.Info().Dir); err == nil {
			l.disk = disk
		}
	}
	return l
}

// begin begins a phase.
func (l *layers) begin() {
	if l != nil {
		l.asked, l.account, l.diskReads = device.Count{}, device.ProcessIO{}, 0
	}
}

// start begins to count, until stop is called.
func (l *layers) start() (stop func()) {
	if l == nil || l.made {
		return func() {}
	}
	asked, disk, account := l.way.Count(), l.readDisk(), l.readAccount()
	return func() {
		l.account = l.account.Add(l.readAccount().Sub(account))
		l.asked = l.asked.Add(l.way.Count().Sub(asked))
		l.diskReads += l.readDisk() - disk
	}
}

// readAccount returns the kernel's account of the process. After one failure, it is unknown for
// the entire run.
func (l *layers) readAccount() (a device.ProcessIO) {
	if l.err == nil {
		a, l.err = device.ReadProcessIO()
	}
	return a
}

// readDisk returns the number of reads that the disk has completed. After one failure, it is
// unknown for the entire run.
func (l *layers) readDisk() (n int64) {
	if l.disk.Name != "" {
		var err error
		if n, err = l.disk.Reads(); err != nil {
			l.disk = device.Disk{}
		}
	}
	return n
}

// mostReads is the share by which device reads may differ from reads of files if the page cache
// is bypassed: a read that the kernel ends early is repeated. If the reads completed by the disk
// differ by more, the result has a warning.
const mostReads = 0.01

// check compares what reached the device with the reads of files.
func (l *layers) check(run engine.Counts) (checks []readpath.Check) {
	if l.way.PageCache() == device.Bypass {
		reads := run.Reads.Count.Sum()
		checks = append(checks, readpath.Check{
			Name: "device_reads", OK: differ(l.asked.Reads, reads) <= mostReads,
			Detail: fmt.Sprintf("%d reads past the page cache, %d reads of files", l.asked.Reads, reads),
		}, readpath.Check{
			Name: "device_pages", OK: differ(l.asked.Bytes, run.Reads.Pages*readpath.PageBytes) <= mostReads,
			Detail: fmt.Sprintf("%d bytes read past the page cache, %d pages by the offsets of the reads", l.asked.Bytes, run.Reads.Pages),
		})
	}
	if l.way.PageCache() != device.Keep && l.err == nil {
		checks = append(checks, checkBytes(l.way.PageCache(), l.asked, l.account))
	}
	return checks
}

// differ returns the difference of a and b as a share of b.
func differ(a, b int64) float64 {
	if a == b {
		return 0
	}
	return float64(max(a-b, b-a)) / float64(max(b, 1))
}

// checkBytes compares the bytes that reads of tables requested from the device with the
// kernel's account of the process. They are equal unless pages of the program were read
// meanwhile, or, with a cold page cache, other files: both only add to the account.
func checkBytes(pages device.PageCache, asked device.Count, account device.ProcessIO) readpath.Check {
	check := readpath.Check{
		Name: "device_bytes", OK: account.Bytes == asked.Bytes,
		Detail: fmt.Sprintf("the kernel accounts for %d bytes from devices, the reads of tables had %d", account.Bytes, asked.Bytes),
	}
	if account.Bytes > asked.Bytes && (account.Faults > 0 || pages == device.Cold) {
		check.OK = true
		check.Detail += fmt.Sprintf("; the process read %d pages of its own", account.Faults)
	}
	return check
}
