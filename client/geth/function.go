// Package geth describes the program geth: how it divides memory among its caches, and the names of its functions,
// which its forks bsc and op-geth share.
package geth

import (
	"regexp"
	"strings"
)

// method matches the methods of geth's services (rpc.Server registers types by their exported methods), and accessor
// the functions that read its schema.
var (
	method   = regexp.MustCompile(`\.\(?\*?(\w+API)\)?\.([A-Z]\w*)$`)
	accessor = regexp.MustCompile(`/core/rawdb\.((?:Read|Has)\w+)$`)
)

// Method returns the RPC method that a function serves, such as BlockChainAPI.GetBalance, or "".
func Method(function string) string {
	if m := method.FindStringSubmatch(function); m != nil {
		return m[1] + "." + m[2]
	}
	return ""
}

// Accessor returns the name of a function that reads geth's schema, such as ReadAccountTrieNode; "" for others.
func Accessor(function string) string {
	if m := accessor.FindStringSubmatch(function); m != nil {
		return m[1]
	}
	return ""
}

// ReadsSchema reports whether a function, or one within it, reads geth's schema.
func ReadsSchema(function string) bool { return strings.Contains(function, "/core/rawdb.Read") }
