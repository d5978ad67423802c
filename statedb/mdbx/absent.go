//go:build !cgo

package mdbx

import (
	"errors"

	"getio/statedb/adapter"
)

var errAbsent = errors.New("this getio was built without cgo, which MDBX needs: install a C compiler, and build it with CGO_ENABLED=1")

// New explains why MDBX is not in this binary.
func New() (adapter.Engine, error) { return nil, errAbsent }

func NewReader() (adapter.Engine, error) { return nil, errAbsent }
