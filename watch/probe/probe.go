// Package probe counts the lookups of a running Go program and delivers its reads of files, from
// outside and without changing or restarting it, by programs in the kernel (eBPF).
//
// One program counts the calls of the functions that look keys up; each goroutine's last call is
// noted. Two others see every read and prefetch of a file by the process begin and end. A read belongs to a lookup if
// such a function is among its callers: the kernel walks the stack at each read. Nothing depends on
// when a function returns, so growing stacks, panics and goroutines that move between threads do
// not matter.
package probe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"github.com/prometheus/procfs"

	"getio/client/chaindata"
	"getio/watch/goprogram"
)

// Target is what to watch.
type Target struct {
	PID     int
	Binary  string // a path that shows its binary
	Entries []Entry
	Classes []chaindata.KeyRule // of keys; the first that fits applies
	// Stacks asks for the stacks of reads that Gets made, too.
	Stacks bool
	// Keys asks for the keys of the Gets.
	Keys bool
	// Accesses are functions whose calls by Gets are counted, if any.
	Accesses []Access
	// Seeks are groups of functions whose calls are counted together, each by where calls pass in the
	// binary.
	Seeks [][]uint64
}

// Entry is a function that looks a key up.
type Entry struct {
	goprogram.Entry
	Registers
}

// Probe holds the programs for one process. When this process ends, however it ends, the kernel
// detaches and frees them.
type Probe struct {
	maps
	pid      int
	binary   *link.Executable
	entries  []*entryProgram // of lookups, accesses and seeks
	syscalls []*ebpf.Program
	calls    []link.Link // of entries, while attached
	traced   []link.Link // of system calls, while attached
	reader   *ringbuf.Reader
	keyed    *ringbuf.Reader // nil without keys
	raw      ringbuf.Record
	loaded   []io.Closer // what Close frees
}

// New loads the programs into the kernel and attaches none but that which notices exec. It needs the rights to load them and to
// watch processes (CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE), a kernel with type information, and an
// architecture that it Supports.
func New(t *Target) (*Probe, error) {
	o, err := kernelOffsets(btf.LoadKernelSpec)
	if err != nil {
		return nil, err
	}
	n, err := namespaceOf(t.PID)
	if err != nil {
		return nil, err
	}
	p := &Probe{pid: t.PID}
	if err := p.load(t, &o, n); err != nil {
		p.Close()
		return nil, kernelError(err)
	}
	return p, nil
}

// kernelError says what to do about an error of the kernel, if that is known.
func kernelError(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EPERM):
		cause := err.Error()
		if missing := missingCapabilities(); len(missing) > 0 {
			// The kernel library suggests a higher limit on locked memory, which does not help.
			cause = "getio lacks " + strings.Join(missing, ", ")
		}
		return fmt.Errorf("no permission to watch processes: run getio as root on the host, or with the capabilities CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE (%s)", cause)
	case errors.Is(err, ebpf.ErrNotSupported):
		return fmt.Errorf("this kernel is too old to watch processes: use Linux 5.8 or newer (%w)", err)
	}
	return err
}

func (p *Probe) load(t *Target, o *offsets, n namespace) (err error) {
	if err := p.maps.create(t); err != nil {
		return err
	}
	if p.reader, err = p.newReader(p.ring); err != nil {
		return err
	}
	if t.Keys {
		if p.keyed, err = p.newReader(p.keys); err != nil {
			return err
		}
	}
	if p.binary, err = link.OpenExecutable(t.Binary); err != nil {
		return err
	}
	for i, e := range t.Entries {
		if err := p.loadEntry("getio_get", getProgram(&p.maps, i, e.Registers, t.Classes), e.Offset); err != nil {
			return err
		}
	}
	for _, f := range t.Accesses {
		if err := p.loadEntry("getio_access", accessProgram(&p.maps, f.BlockRegisters, t.Entries), f.Offset); err != nil {
			return err
		}
	}
	for i, offsets := range t.Seeks {
		if err := p.loadEntry("getio_seek", seekProgram(&p.maps, i), offsets...); err != nil {
			return err
		}
	}
	for _, s := range []struct {
		tracepoint string
		code       *assembler
	}{{"sys_enter", beganProgram(&p.maps, o, n)}, {"sys_exit", endedProgram(&p.maps, o, t)}} {
		program, err := s.code.tracepointProgram("getio_"+s.tracepoint, s.tracepoint)
		if err != nil {
			return err
		}
		p.syscalls, p.loaded = append(p.syscalls, program), append(p.loaded, program)
	}
	exec, err := execProgram(&p.maps, n).tracepointProgram("getio_exec", "sched_process_exec")
	if err != nil {
		return err
	}
	defer exec.Close()
	attached, err := attachTracepoint(exec)
	if err == nil {
		p.loaded = append(p.loaded, attached)
	}
	return err
}

func (p *Probe) loadEntry(name string, code *assembler, offsets ...uint64) error {
	e, err := loadEntry(name, code, offsets...)
	if err == nil {
		p.entries, p.loaded = append(p.entries, e), append(p.loaded, e)
	}
	return err
}

func attachTracepoint(program *ebpf.Program) (link.Link, error) {
	return link.AttachTracing(link.TracingOptions{Program: program, AttachType: ebpf.AttachTraceRawTp})
}

// Attach attaches the programs: those of lookups first, so that no read of a lookup comes before
// the lookup itself. Nothing counts until Count.
func (p *Probe) Attach() error {
	if err := p.maps.forget(); err != nil {
		return err
	}
	for _, e := range p.entries {
		links, err := e.attach(p.binary, p.pid)
		p.calls = append(p.calls, links...)
		if err != nil {
			return kernelError(err)
		}
	}
	for _, program := range p.syscalls {
		l, err := attachTracepoint(program)
		if err != nil {
			return kernelError(err)
		}
		p.traced = append(p.traced, l)
	}
	return nil
}

// Count starts or stops the counting of Gets. A Get counts if it begins while counting is on, and
// all its reads are delivered as its own, also those that it makes after counting was stopped and
// before Detach.
func (p *Probe) Count(on bool) error {
	return p.counting.Put(uint32(0), uint64(number(on)))
}

// Reads calls yield with reads that have been delivered, at most so many, and returns how many there
// were. The Read is valid until yield returns.
func (p *Probe) Reads(most int, yield func(*Read)) (n int, err error) {
	return delivered(p.reader, &p.raw, most, yield)
}

// Lookups is Reads for the Gets that were counted, in the order in which they began. The Target
// must ask for keys.
func (p *Probe) Lookups(most int, yield func(*Lookup)) (n int, err error) {
	return delivered(p.keyed, &p.raw, most, yield)
}

func (p *Probe) newReader(ring *ebpf.Map) (*ringbuf.Reader, error) {
	r, err := ringbuf.NewReader(ring)
	if err != nil {
		return nil, err
	}
	p.loaded = append(p.loaded, r)
	r.SetDeadline(time.Unix(0, 0)) // never wait
	return r, nil
}

// delivered calls yield with the events that a ring has delivered, which it reads into raw.
func delivered[E any, D interface {
	*E
	decode(raw []byte) error
}](ring *ringbuf.Reader, raw *ringbuf.Record, most int, yield func(*E)) (n int, err error) {
	for event := D(new(E)); n < most; n++ {
		switch err := ring.ReadInto(raw); {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return n, nil
		case err != nil:
			return n, err
		}
		if err := event.decode(raw.RawSample); err != nil {
			return n, err
		}
		yield(event)
	}
	return n, nil
}

// Detach ends the watching. What was delivered and counted until then can still be read.
//
// The programs of system calls go first. Those of lookups take tens of milliseconds each to go, and
// reads that are delivered after them would be taken for those of Gets that ended long before.
func (p *Probe) Detach() error {
	var errs []error
	for _, l := range append(p.traced, p.calls...) {
		errs = append(errs, l.Close())
	}
	p.traced, p.calls = nil, nil
	return errors.Join(errs...)
}

// Close detaches, and frees what the kernel keeps.
func (p *Probe) Close() error {
	err := p.Detach()
	for _, each := range p.loaded {
		each.Close()
	}
	for _, m := range p.all {
		m.Close()
	}
	return err
}

// namespaceOf returns the PID namespace of a process, and its number in it.
func namespaceOf(pid int) (n namespace, err error) {
	fi, err := os.Stat(fmt.Sprintf("/proc/%d/ns/pid", pid))
	if err != nil {
		return n, kernelError(err)
	}
	st := fi.Sys().(*syscall.Stat_t)
	n.device, n.inode, n.pid = uint64(st.Dev), st.Ino, uint64(pid)
	process, err := procfs.NewProc(pid)
	if err != nil {
		return n, err
	}
	status, err := process.NewStatus()
	if in := len(status.NSpids); in > 0 {
		n.pid = status.NSpids[in-1]
	}
	return n, err
}
