package blocktrace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrLost: there were more requests than the kernel kept.
var ErrLost = errors.New("the kernel lost a part of the trace of block requests")

// parseLine reads a line of the trace. Those of completed reads are such as
//
//	kworker/u8:3-1234  [001] ..s1.  123.456789: block_rq_complete: 7,0 RA () 12345 + 8 none,0,0 [0]
//
// The name of a process may be any.
func parseLine(line string) (r Request, ok bool, err error) {
	if strings.HasPrefix(line, "CPU:") && strings.Contains(line, "LOST") {
		return r, false, ErrLost
	}
	at := strings.LastIndex(line, ": block_rq_complete: ")
	if at < 0 {
		return r, false, nil
	}
	// Device, kind, command in brackets, sector, +, sectors, and what differs by kernel.
	fields := strings.Fields(line[at+len(": block_rq_complete: "):])
	if len(fields) < 6 || fields[4] != "+" {
		return r, false, fmt.Errorf("a line of the trace of block requests is not understood: %q", line)
	}
	var errs [2]error
	r.Sector, errs[0] = strconv.ParseInt(fields[3], 10, 64)
	r.Sectors, errs[1] = strconv.ParseInt(fields[5], 10, 64)
	if err := errors.Join(errs[:]...); err != nil || r.Sector < 0 || r.Sectors < 0 {
		return Request{}, false, fmt.Errorf("a line of the trace of block requests is not understood: %q", line)
	}
	r.Meta = strings.Contains(fields[1], "M")
	return r, true, nil
}
