package watch

import (
	"regexp"
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
	known   map[uint64]string // names of functions by return address
}

func newCallers(p *goprogram.Program) *callers {
	return &callers{program: p, known: map[uint64]string{}}
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
		name := c.at(address)
		if name == "" || strings.HasPrefix(name, "runtime.") {
			continue
		}
		if m := accessor.FindStringSubmatch(name); m != nil && found.accessor == "" {
			found.accessor = m[1]
		}
		if m := rpcMethod.FindStringSubmatch(name); m != nil {
			found.method = m[1] + "." + m[2]
			return found
		}
		found.method = shortName(name)
	}
	return found
}

func (c *callers) at(address uint64) string {
	name, ok := c.known[address]
	if !ok {
		if f, found := c.program.At(address - 1); found { // the call lies before its return address
			name = enclosing(f.Name)
		}
		c.known[address] = name
	}
	return name
}

// closures matches what the compiler appends to the name of a function for those within it.
var closures = regexp.MustCompile(`(\.func\d+|\.gowrap\d+|\.\d+|-range\d+|\[\.\.\.\])+$`)

// enclosing returns the name of the function in which a closure was written.
func enclosing(name string) string { return closures.ReplaceAllString(name, "") }

// shortName leaves of the package's path its last element.
func shortName(name string) string { return name[strings.LastIndex(name, "/")+1:] }
