package watch

import (
	"slices"
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

// calls remembers what functions on stacks tell, by return address.
type calls[T any] struct {
	program *goprogram.Program
	tells   func(function string) T
	known   map[uint64]T
}

func newCalls[T any](p *goprogram.Program, tells func(function string) T) *calls[T] {
	return &calls[T]{p, tells, map[uint64]T{}}
}

// at returns what the function tells that made a call; the zero value if it is not known.
func (c *calls[T]) at(address uint64) T {
	told, ok := c.known[address]
	if !ok {
		if f, found := c.program.At(address - 1); found { // the call lies before its return address
			told = c.tells(f.Name)
		}
		c.known[address] = told
	}
	return told
}

// causes tells from stacks why reads were made. Most callers say nothing, and have no cause.
type causes struct{ *calls[record.ReadCause] }

func newCauses(p *goprogram.Program) causes { return causes{newCalls(p, causeIn)} }

// of returns the cause of a read with this stack, the innermost caller first.
func (c causes) of(stack []uint64) record.ReadCause {
	for _, address := range slices.Backward(stack) {
		if cause := c.at(address); cause != "" {
			return cause
		}
	}
	return record.CauseOther
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
