package probe

import (
	"errors"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// entryProgram is the program of one entry.
type entryProgram struct {
	name    string
	code    *assembler
	offset  uint64
	program *ebpf.Program
	// multi: it is for a link of many probes, which takes fewer rights than a perf event.
	multi bool
}

func loadEntry(name string, code *assembler, offset uint64) (*entryProgram, error) {
	e := &entryProgram{name: name, code: code, offset: offset, multi: true}
	var err error
	if e.program, err = code.program(name, ebpf.Kprobe, ebpf.AttachTraceUprobeMulti); err == nil {
		return e, nil
	}
	return e, e.loadSingle()
}

// loadSingle loads the program for kernels before 6.6, which have only perf events.
func (e *entryProgram) loadSingle() (err error) {
	e.multi = false
	e.program, err = e.code.program(e.name, ebpf.Kprobe, ebpf.AttachNone)
	return err
}

func (e *entryProgram) attach(binary *link.Executable, pid int) (link.Link, error) {
	if e.multi {
		l, err := binary.UprobeMulti(nil, e.program, &link.UprobeMultiOptions{Addresses: []uint64{e.offset}, PID: uint32(pid)})
		if !errors.Is(err, ebpf.ErrNotSupported) {
			return l, err
		}
		e.program.Close()
		if err := e.loadSingle(); err != nil {
			return nil, err
		}
	}
	return binary.Uprobe("", e.program, &link.UprobeOptions{Address: e.offset, PID: pid})
}
