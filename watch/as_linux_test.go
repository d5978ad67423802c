package watch

import "syscall"

// as is how a process starts as a user with no capabilities but these.
func as(user int, capabilities []uintptr) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Credential:  &syscall.Credential{Uid: uint32(user), Gid: uint32(user)},
		AmbientCaps: capabilities,
	}
}
