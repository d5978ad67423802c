package blocktrace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrLost means that there were more requests than the kernel's buffer holds.
var ErrLost = errors.New("the kernel dropped part of the trace of block requests")

// parseLine parses a line of the trace. For a completed read, it looks like
//
//	kworker/u8:3-1234  [001] ..s1.  123.456789: block_rq_complete: 7,0 RA () 12345 + 8 none,0,0 [0]
//
// The process name at the beginning is arbitrary.
func parseLine(line string) (r Request, ok bool, err error) {
	if strings.HasPrefix(line, "CPU:") && strings.Contains(line, "LOST") {
		return r, false, ErrLost
	}
	at := strings.LastIndex(line, ": block_rq_complete: ")
	if at < 0 {
		return r, false, nil
	}
	// Device, kind, command in brackets, sector, +, sectors, and fields that depend on the kernel.
	fields := strings.Fields(line[at+len(": block_rq_complete: "):])
	if len(fields) >= 6 && fields[4] == "+" {
		sector, errSector := strconv.ParseInt(fields[3], 10, 64)
		sectors, errSectors := strconv.ParseInt(fields[5], 10, 64)
		if errSector == nil && errSectors == nil && sector >= 0 && sectors >= 0 {
			return Request{sector, sectors, strings.Contains(fields[1], "M")}, true, nil
		}
	}
	return r, false, fmt.Errorf("invalid line in the trace of block requests: %q", line)
}
