//go:build !cgo

package mdbx

import (
	"errors"

	"getio/outside/adapter"
)

// New explains why MDBX is not in this binary.
func New() (adapter.Engine, error) {
	return nil, errors.New("this getio was built without cgo, which MDBX needs: install a C compiler, and build it with CGO_ENABLED=1")
}
