package watch

import (
	"regexp"
	"slices"
	"strings"

	"getio/client/geth"
	"getio/record"
	"getio/watch/goprogram"
	"getio/watch/probe"
)

// stacks tells from stacks why and on whose behalf reads were made. It remembers what functions say, by return address.
type stacks struct {
	program *goprogram.Program
	known   map[uint64]frame
}

// at returns the function that made a call; the zero value if it is not known.
func (s *stacks) at(address uint64) frame {
	f, ok := s.known[address]
	if !ok {
		if name := s.program.NameAt(address - 1); name != "" { // the call lies before its return address
			f = frameOf(name)
		}
		s.known[address] = f
	}
	return f
}

// cause returns the cause of a read with a stack, the innermost caller first. Most callers say nothing, and have no cause.
func (s *stacks) cause(stack []uint64) record.ReadCause {
	for _, address := range slices.Backward(stack) {
		if cause := s.at(address).cause; cause != "" {
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

// caller is on whose behalf something was read.
type caller struct {
	// method is an RPC method, such as BlockChainAPI.GetBalance, or else the function with which the
	// goroutine began.
	method string
	// accessor is the function of geth's schema that read, such as ReadAccountTrieNode;
	// empty if none did.
	accessor string
}

// frame is what a function on a stack says of the caller. It is of no use if it has no name.
type frame struct {
	name             string
	method, accessor string // if it is one
	closure, library bool
	cause            record.ReadCause // of reads below it
}

// unknownCaller is the method of a caller whose goroutine's stack is too deep to be walked to its end.
const unknownCaller = "unknown"

// caller returns the caller of a read, whose stack begins with the innermost function. A closure with which a goroutine began
// is told by the first function that it calls, too: many goroutines may begin with one.
func (s *stacks) caller(r *probe.Read) (found caller) {
	called := "" // the outermost function so far, outside of the library, that is no closure
	for _, address := range r.Stack {
		f := s.at(address)
		if f.name == "" {
			continue
		}
		if found.accessor == "" {
			found.accessor = f.accessor
		}
		if f.method != "" {
			found.method = f.method
			return found
		}
		switch {
		case f.library:
			found.method, called = f.name, ""
		case !f.closure:
			found.method, called = f.name, f.name
		case called == "":
			found.method = f.name
		default:
			found.method = f.name + " (" + called + ")"
		}
	}
	if r.Cut {
		found.method = unknownCaller
	}
	return found
}

// starters begin the names of functions with which goroutines begin whatever they do.
var starters = []string{"runtime.", "sync.", "golang.org/x/sync/"}

func frameOf(function string) (f frame) {
	name := enclosing(function)
	if slices.ContainsFunc(starters, func(s string) bool { return strings.HasPrefix(name, s) }) {
		return f
	}
	f.name = shortName(name)
	if own := ranges.ReplaceAllString(function, ""); closure.MatchString(own) {
		f.name, f.closure = shortName(own), true
	}
	f.library = slices.ContainsFunc(libraries, func(l *library) bool { _, ok := l.method(name); return ok })
	f.accessor, f.method, f.cause = geth.Accessor(name), geth.Method(name), causeIn(function)
	return f
}

// closures matches what the compiler appends to the name of a function for those within it.
var closures = regexp.MustCompile(`(\.func\d+|\.gowrap\d+|\.\d+|-range\d+|\[\.\.\.\])+$`)

// ranges matches what it appends for the bodies of loops over functions, and closure for functions within
// others, gowrap for go statements.
var (
	ranges  = regexp.MustCompile(`(-range\d+)+$`)
	closure = regexp.MustCompile(`\.(func|gowrap)?\d+$`)
)

// enclosing returns the name of the function in which a closure was written.
func enclosing(name string) string { return closures.ReplaceAllString(name, "") }

// shortName leaves of the package's path its last element.
func shortName(name string) string { return name[strings.LastIndex(name, "/")+1:] }
