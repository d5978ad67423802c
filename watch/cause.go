package watch

import (
	"strings"

	"getio/record"
	"getio/watch/goprogram"
)

// rule names the cause of a read if one of its callers is a method of the library.
type rule struct {
	cause  record.ReadCause
	method string // ends in "." if it begins the names of several
}

// The entry points of the libraries' own work and of iterators. The outermost caller that fits
// decides: a compaction also iterates.
var (
	pebbleCauses = []rule{
		{record.CauseOpen, "Open"},
		{record.CauseCompaction, "(*DB).compact"}, {record.CauseCompaction, "(*DB).compact1"}, {record.CauseCompaction, "(*DB).runCompaction"},
		{record.CauseFlush, "(*DB).flush"}, {record.CauseFlush, "(*DB).flush1"},
		{record.CauseStatistics, "(*DB).collectTableStats"},
		{record.CauseIngestion, "(*DB).ingest"},
		{record.CauseIterator, "(*Iterator)."}, {record.CauseIterator, "(*DB).newIter"}, {record.CauseIterator, "finishInitializingIter"},
		{record.CauseIterator, "(*DB).ScanInternal"},
	}
	goleveldbCauses = []rule{
		{record.CauseOpen, "Open"}, {record.CauseOpen, "OpenFile"}, {record.CauseOpen, "openDB"},
		{record.CauseFlush, "(*DB).mCompaction"}, {record.CauseFlush, "(*DB).memCompaction"},
		{record.CauseCompaction, "(*DB).tCompaction"}, {record.CauseCompaction, "(*DB).tableCompaction"},
		{record.CauseIterator, "(*dbIter)."}, {record.CauseIterator, "(*DB).newRawIterator"},
	}
)

func (r *rule) fits(method string) bool {
	if strings.HasSuffix(r.method, ".") {
		return strings.HasPrefix(method, r.method)
	}
	return method == r.method
}

// causes tells from stacks why reads were made.
type causes struct {
	program *goprogram.Program
	known   map[uint64]record.ReadCause // by return address; "" if the caller says nothing
}

func newCauses(p *goprogram.Program) *causes {
	return &causes{program: p, known: map[uint64]record.ReadCause{}}
}

// of returns the cause of a read with this stack, the innermost caller first.
func (c *causes) of(stack []uint64) record.ReadCause {
	for i := len(stack) - 1; i >= 0; i-- {
		if cause := c.at(stack[i]); cause != "" {
			return cause
		}
	}
	return record.CauseOther
}

func (c *causes) at(address uint64) record.ReadCause {
	cause, ok := c.known[address]
	if !ok {
		if f, found := c.program.At(address - 1); found { // the call lies before its return address
			cause = causeIn(f.Name)
		}
		c.known[address] = cause
	}
	return cause
}

// causeIn returns the cause of reads below a function.
func causeIn(function string) record.ReadCause {
	for _, l := range libraries {
		method, ok := l.method(function)
		if !ok {
			continue
		}
		for _, r := range l.causes {
			if r.fits(method) {
				return r.cause
			}
		}
	}
	return ""
}
