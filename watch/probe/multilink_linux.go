package probe

import (
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// filtersProcesses reports whether a link of many probes is limited to a process. The first kernels
// with such links, 6.6 to 6.9, limit it to a thread; they also take a negative number for one, which
// later ones refuse before they look at the path (Linux, commit 46ba0e49b642). libbpf asks in the same
// way (libbpf.c, probe_uprobe_multi_link).
func filtersProcesses(p *ebpf.Program) bool {
	path, offset := []byte("/\x00"), uint64(0)
	request := struct {
		program, target, attach, flags   uint32
		path, offsets, counters, cookies uint64
		count, multi, pid, _             uint32
	}{
		program: uint32(p.FD()), attach: uint32(ebpf.AttachTraceUprobeMulti),
		path: uint64(uintptr(unsafe.Pointer(&path[0]))), offsets: uint64(uintptr(unsafe.Pointer(&offset))),
		count: 1, pid: ^uint32(0),
	}
	link, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_LINK_CREATE, uintptr(unsafe.Pointer(&request)), unsafe.Sizeof(request))
	runtime.KeepAlive(path)
	runtime.KeepAlive(&offset)
	if errno == 0 {
		unix.Close(int(link))
	}
	return errno == unix.EINVAL
}
