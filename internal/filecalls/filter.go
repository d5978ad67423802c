//go:build linux

package filecalls

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socketFD is the descriptor over which Exec sends the listener to Run.
const socketFD = 3

// Exec makes a seccomp filter that reports some system calls, sends its listener to Run, and
// executes a program under it. args are the calls' numbers, joined by commas, the program and
// its arguments. It returns only if it fails.
func Exec(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: CALLS PROGRAM [ARGUMENT]")
	}
	filter, err := filterOf(strings.Split(args[0], ","))
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the filter is this thread's, until it executes the program
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("cannot give up new privileges: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// Only a deadly signal interrupts a call that Run has received.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("cannot install a seccomp filter: %w", errno)
	}
	if err := unix.Sendmsg(socketFD, []byte{0}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return fmt.Errorf("cannot send the filter's listener: %w", err)
	}
	unix.CloseOnExec(int(listener))
	unix.CloseOnExec(socketFD)
	return unix.Exec(args[1], args[1:], os.Environ())
}

// filterOf compiles a filter that reports the calls and lets all others pass.
//
//	load the call's number
//	if it is calls[0]: report
//	...
//	allow
//	report
func filterOf(calls []string) ([]unix.SockFilter, error) {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}
	for i, text := range calls {
		number, err := strconv.ParseUint(text, 10, 32)
		if err != nil || len(calls) > 100 {
			return nil, fmt.Errorf("invalid list of calls: %w", err)
		}
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(number), Jt: uint8(len(calls) - i)})
	}
	return append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF}), nil
}

// notification is the kernel's struct seccomp_notif.
type notification struct {
	id          uint64
	tid         uint32
	flags       uint32
	number      int32
	arch        uint32
	instruction uint64
	args        [6]uint64
}

// response is the kernel's struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

// receiveListener waits for the listener that Exec sends.
func receiveListener(socket int) (int, error) {
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return 0, errors.New("the program did not begin")
	}
	return int(binary.NativeEndian.Uint32(messages[0].Data)), nil
}
