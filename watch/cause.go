package watch

import (
	"slices"

	"getio/record"
	"getio/watch/goprogram"
)

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
