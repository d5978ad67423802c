package probe

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// entryProgram is the program of an entry, or of several that it does not tell apart.
type entryProgram struct {
	name    string
	code    *assembler
	offsets []uint64
	program *ebpf.Program
	// multi: it is for a link of many probes, which takes fewer rights than a perf event.
	multi bool
}

func loadEntry(name string, code *assembler, offsets ...uint64) (*entryProgram, error) {
	e := &entryProgram{name: name, code: code, offsets: offsets, multi: true}
	var err error
	if e.program, err = code.program(name, ebpf.Kprobe, ebpf.AttachTraceUprobeMulti); err == nil {
		if filtersProcesses(e.program) {
			return e, nil
		}
		e.program.Close()
	}
	return e, e.loadSingle()
}

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

// loadSingle loads the program for kernels before 6.6, which have only perf events.
func (e *entryProgram) loadSingle() (err error) {
	e.multi = false
	e.program, err = e.code.program(e.name, ebpf.Kprobe, ebpf.AttachNone)
	return err
}

func (e *entryProgram) attach(binary *link.Executable, pid int) (links []link.Link, err error) {
	if e.multi {
		l, err := binary.UprobeMulti(nil, e.program, &link.UprobeMultiOptions{Addresses: e.offsets, PID: uint32(pid)})
		if err == nil {
			return []link.Link{l}, nil
		}
		if !errors.Is(err, ebpf.ErrNotSupported) {
			return nil, err
		}
		e.program.Close()
		if err := e.loadSingle(); err != nil {
			return nil, err
		}
	}
	for _, offset := range e.offsets {
		l, err := binary.Uprobe("", e.program, &link.UprobeOptions{Address: offset, PID: pid})
		if err != nil {
			return links, err
		}
		links = append(links, l)
	}
	return links, nil
}
