package loopdisk

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Count holds the reads of a device, and the bytes that it wrote.
type Count struct {
	Reads   int64 // completed requests
	Merged  int64 // reads that became part of a neighbour's request
	Bytes   int64
	Written int64 // bytes
}

// Sub returns what was read between q and c.
func (c Count) Sub(q Count) Count {
	return Count{c.Reads - q.Reads, c.Merged - q.Merged, c.Bytes - q.Bytes, c.Written - q.Written}
}

// Add returns the sum of both counts.
func (c Count) Add(q Count) Count {
	return Count{c.Reads + q.Reads, c.Merged + q.Merged, c.Bytes + q.Bytes, c.Written + q.Written}
}

// settleWithin is how long Count waits for requests in progress.
const settleWithin = 10 * time.Second

// Count returns what the disk has read and written so far. It waits until no request is in progress, since
// the kernel counts a request only after it has woken the process that waits for it.
func (d *Disk) Count() (Count, error) {
	path := filepath.Join("/sys/block", d.Name, "stat")
	for begun := time.Now(); ; {
		data, err := os.ReadFile(path)
		if err != nil {
			return Count{}, fmt.Errorf("cannot read the counters of %s: %w", d.Name, err)
		}
		c, inProgress, err := parseStat(string(data))
		switch {
		case err != nil:
			return Count{}, fmt.Errorf("invalid counters of %s in %s: %w", d.Name, path, err)
		case inProgress == 0:
			return c, nil
		case time.Since(begun) > settleWithin:
			return Count{}, fmt.Errorf("%d requests of %s are still in progress after %v", inProgress, d.Name, settleWithin)
		}
	}
}

// sector is the unit of the kernel's counters for every device, in bytes.
const sector = 512

// parseStat parses a device's counters: reads completed, reads merged, sectors read, time, the
// same for writes, requests in progress, and more (Linux, Documentation/block/stat.rst).
func parseStat(text string) (c Count, inProgress int64, err error) {
	fields := strings.Fields(text)
	if len(fields) < 9 {
		return Count{}, 0, fmt.Errorf("%d numbers, want at least 9", len(fields))
	}
	var read, written int64
	for i, to := range map[int]*int64{0: &c.Reads, 1: &c.Merged, 2: &read, 6: &written, 8: &inProgress} {
		if *to, err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return Count{}, 0, err
		}
	}
	c.Bytes, c.Written = read*sector, written*sector
	return c, inProgress, nil
}
