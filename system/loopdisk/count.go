package loopdisk

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Count is what a device has read.
type Count struct {
	Reads  int64 // requests that it completed
	Merged int64 // reads that became part of a neighbour's request
	Bytes  int64
}

// Sub returns what was read between q and c.
func (c Count) Sub(q Count) Count {
	return Count{c.Reads - q.Reads, c.Merged - q.Merged, c.Bytes - q.Bytes}
}

// Add returns both counts' sum.
func (c Count) Add(q Count) Count {
	return Count{c.Reads + q.Reads, c.Merged + q.Merged, c.Bytes + q.Bytes}
}

// settleWithin is how long requests may be under way.
const settleWithin = 10 * time.Second

// Count returns what the disk has read so far. It waits until no request is under way: the
// kernel counts one only after it has woken who waited for it.
func (d *Disk) Count() (Count, error) {
	path := filepath.Join("/sys/block", d.Name, "stat")
	for begun := time.Now(); ; {
		data, err := os.ReadFile(path)
		if err != nil {
			return Count{}, fmt.Errorf("the counters of %s cannot be read: %w", d.Name, err)
		}
		c, underWay, err := parseStat(string(data))
		switch {
		case err != nil:
			return Count{}, fmt.Errorf("the counters of %s in %s are not understood: %w", d.Name, path, err)
		case underWay == 0:
			return c, nil
		case time.Since(begun) > settleWithin:
			return Count{}, fmt.Errorf("%s does not come to rest: %d requests are under way", d.Name, underWay)
		}
	}
}

// sector is the unit of the kernel's counters, whatever the device's own is.
const sector = 512

// parseStat reads a device's counters: reads completed, reads merged, sectors read, time,
// the same of writes, requests under way, and more (Linux, Documentation/block/stat.rst).
func parseStat(text string) (c Count, underWay int64, err error) {
	fields := strings.Fields(text)
	if len(fields) < 9 {
		return Count{}, 0, fmt.Errorf("%d figures instead of at least 9", len(fields))
	}
	var sectors int64
	for i, to := range map[int]*int64{0: &c.Reads, 1: &c.Merged, 2: &sectors, 8: &underWay} {
		if *to, err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return Count{}, 0, err
		}
	}
	c.Bytes = sectors * sector
	return c, underWay, nil
}
