//go:build !linux

package counter

import "errors"

// ErrRoot is the error for processes that may not make disks and control groups.
var ErrRoot = errors.New("counting from outside needs Linux, for a private disk and a control group: run getio on Linux, or measure a database of an engine that counts its own reads")
