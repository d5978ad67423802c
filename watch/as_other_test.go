//go:build !linux

package watch

import "syscall"

func as(int, []uintptr) *syscall.SysProcAttr { panic("capabilities need Linux") }
