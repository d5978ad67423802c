package watch

import (
	"regexp"
	"slices"
	"strings"

	"getio/outside/goprogram"
)

// caller is on whose behalf a Get was made.
type caller struct {
	// method is an RPC method, such as BlockChainAPI.GetBalance, or else the function with which the
	// goroutine began.
	method string
	// accessor is the function of geth's schema that made the Get, such as ReadAccountTrieNode;
	// empty if none did.
	accessor string
}

// callers tells from stacks on whose behalf Gets were made.
type callers struct {
	program *goprogram.Program
	known   map[uint64]frame // by return address
}

// frame is what a function on a stack says of the caller. It is of no use if it has no name.
type frame struct {
	name             string
	method, accessor string // if it is one
}

func newCallers(p *goprogram.Program) *callers {
	return &callers{program: p, known: map[uint64]frame{}}
}

// rpcMethod matches the methods of geth's services (rpc.Server registers types by their exported
// methods), and accessor the functions that read its schema.
var (
	rpcMethod = regexp.MustCompile(`\.\(?\*?(\w+API)\)?\.([A-Z]\w*)$`)
	accessor  = regexp.MustCompile(`/core/rawdb\.((?:Read|Has)\w+)$`)
)

// of returns the caller of a read with this stack, the innermost function first.
func (c *callers) of(stack []uint64) (found caller) {
	for _, address := range stack {
		f := c.at(address)
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
		found.method = f.name
	}
	return found
}

func (c *callers) at(address uint64) frame {
	f, ok := c.known[address]
	if !ok {
		if function, found := c.program.At(address - 1); found { // the call lies before its return address
			f = frameOf(function.Name)
		}
		c.known[address] = f
	}
	return f
}

// starters begin the names of functions with which goroutines begin whatever they do.
var starters = []string{"runtime.", "sync.", "golang.org/x/sync/"}

// frameOf says what a function tells.
func frameOf(function string) (f frame) {
	name := enclosing(function)
	if slices.ContainsFunc(starters, func(s string) bool { return strings.HasPrefix(name, s) }) {
		return f
	}
	f.name = shortName(name)
	if m := accessor.FindStringSubmatch(name); m != nil {
		f.accessor = m[1]
	}
	if m := rpcMethod.FindStringSubmatch(name); m != nil {
		f.method = m[1] + "." + m[2]
	}
	return f
}

// closures matches what the compiler appends to the name of a function for those within it.
var closures = regexp.MustCompile(`(\.func\d+|\.gowrap\d+|\.\d+|-range\d+|\[\.\.\.\])+$`)

// enclosing returns the name of the function in which a closure was written.
func enclosing(name string) string { return closures.ReplaceAllString(name, "") }

// shortName leaves of the package's path its last element.
func shortName(name string) string { return name[strings.LastIndex(name, "/")+1:] }
