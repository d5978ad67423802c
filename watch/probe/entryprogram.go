package probe

import (
	"errors"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
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
	if e.program, err = code.program(ebpf.ProgramSpec{Name: name, Type: ebpf.Kprobe, AttachType: ebpf.AttachTraceUprobeMulti}); err == nil {
		if filtersProcesses(e.program) {
			return e, nil
		}
		e.program.Close()
	}
	return e, e.loadSingle()
}

// loadSingle loads the program for kernels before 6.6, which have only perf events.
func (e *entryProgram) loadSingle() (err error) {
	e.multi = false
	e.program, err = e.code.program(ebpf.ProgramSpec{Name: e.name, Type: ebpf.Kprobe})
	return err
}

func (e *entryProgram) Close() error { return e.program.Close() }

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
