//go:build !linux

// Package subprocess is about programs that getio starts, such as itself again.
package subprocess

import (
	"os"
	"os/exec"
)

// Self returns the path of the program of this process.
func Self() (string, error) { return os.Executable() }

// EndWithParent does nothing: only Linux kills a command whose parent has ended.
func EndWithParent(*exec.Cmd) {}
