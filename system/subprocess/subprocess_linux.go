// Package subprocess is about programs that getio starts, such as itself again.
package subprocess

import (
	"os/exec"
	"syscall"
)

// Self returns a path of the program of this process, also if its file was replaced meanwhile.
func Self() (string, error) { return "/proc/self/exe", nil }

// EndWithParent has the kernel kill a command, which is not started yet, when the thread that starts it ends: lock the
// goroutine to it (runtime.LockOSThread) until the command has ended.
func EndWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
