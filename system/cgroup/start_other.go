//go:build !linux

package cgroup

import (
	"errors"
	"os/exec"
)

// Control groups are Linux's.

func (v1) Start(*exec.Cmd, func(*exec.Cmd) error) error { return errors.ErrUnsupported }

func (v2) Start(*exec.Cmd, func(*exec.Cmd) error) error { return errors.ErrUnsupported }
