package probe

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// Offsets in the registers that the kernel saved (struct pt_regs of amd64). Go passes arguments in
// AX, BX, CX, DI, SI, R8, R9, R10 and R11, and keeps the goroutine in R14 (Go's internal ABI).
const (
	regR14 = 8
	regBP  = 32
	regBX  = 40
	regR10 = 56
	regR9  = 64
	regR8  = 72
	regAX  = 80
	regCX  = 88
	regDX  = 96
	regSI  = 104
	regDI  = 112
	// regCall is the number of the system call (orig_ax).
	regCall = 120
)

// assembler collects the instructions of a program. Helpers of the kernel leave R6 to R9 alone.
type assembler struct {
	asm.Instructions
	labels int
}

func (a *assembler) add(in ...asm.Instruction) { a.Instructions = append(a.Instructions, in...) }

// newLabel returns a label that no other place of the program has.
func (a *assembler) newLabel() string {
	a.labels++
	return fmt.Sprintf("l%d", a.labels)
}

// label marks the next instruction. It sets R0 to 0.
func (a *assembler) label(name string) { a.add(asm.Mov.Imm(asm.R0, 0).WithSymbol(name)) }

// zero sets eight bytes to 0. The machine has no such store of eight bytes at once.
func (a *assembler) zero(base asm.Register, at int16) {
	a.add(asm.StoreImm(base, at, 0, asm.Word), asm.StoreImm(base, at+4, 0, asm.Word))
}

// stackAddress sets a register to an address on the program's stack.
func (a *assembler) stackAddress(r asm.Register, at int32) {
	a.add(asm.Mov.Reg(r, asm.RFP), asm.Add.Imm(r, at))
}

// lookup sets R0 to the address of the value whose key is on the stack, or to 0.
func (a *assembler) lookup(m *ebpf.Map, key int32) {
	a.add(asm.LoadMapPtr(asm.R1, m.FD()))
	a.lookupFirst(key)
}

// lookupIn is lookup in a map that another map holds.
func (a *assembler) lookupIn(m asm.Register, key int32) {
	a.add(asm.Mov.Reg(asm.R1, m))
	a.lookupFirst(key)
}

// lookupFirst is lookup in the map in R1.
func (a *assembler) lookupFirst(key int32) {
	a.stackAddress(asm.R2, key)
	a.add(asm.FnMapLookupElem.Call())
}

// update stores a value that is on the stack, and sets R0 to 0 unless the map is full.
func (a *assembler) update(m *ebpf.Map, key, value int32, flags ebpf.MapUpdateFlags) {
	a.add(asm.LoadMapPtr(asm.R1, m.FD()))
	a.stackAddress(asm.R2, key)
	a.stackAddress(asm.R3, value)
	a.add(asm.Mov.Imm(asm.R4, int32(flags)), asm.FnMapUpdateElem.Call())
}

// increment adds one to the number at R0, in one step: even a number of this processor's own is not
// safe from other threads, which may preempt the program on it.
func (a *assembler) increment() {
	a.add(asm.Mov.Imm(asm.R1, 1), asm.StoreXAdd(asm.R0, asm.R1, asm.DWord))
}

// bump adds one to a counter. It uses eight bytes of the stack.
func (a *assembler) bump(counters *ebpf.Map, counter counter, at int32) {
	done := a.newLabel()
	a.add(asm.StoreImm(asm.RFP, int16(at), int64(counter), asm.Word))
	a.lookup(counters, at)
	a.add(asm.JEq.Imm(asm.R0, 0, done))
	a.increment()
	a.label(done)
}

// readKernel reads size bytes of the kernel's memory at base+off to the stack.
func (a *assembler) readKernel(to, size int32, base asm.Register, off int32) {
	a.add(asm.Mov.Reg(asm.R3, base), asm.Add.Imm(asm.R3, off))
	a.stackAddress(asm.R1, to)
	a.add(asm.Mov.Imm(asm.R2, size), asm.FnProbeReadKernel.Call())
}

// program loads the instructions into the kernel, which verifies them.
func (a *assembler) program(name string, t ebpf.ProgramType, attach ebpf.AttachType) (*ebpf.Program, error) {
	return a.load(&ebpf.ProgramSpec{Name: name, Type: t, AttachType: attach})
}

// tracepointProgram is program for a raw tracepoint. The kernel knows the types of its arguments, so
// that the instructions read what they point to without a helper.
func (a *assembler) tracepointProgram(name, tracepoint string) (*ebpf.Program, error) {
	return a.load(&ebpf.ProgramSpec{Name: name, Type: ebpf.Tracing, AttachType: ebpf.AttachTraceRawTp, AttachTo: tracepoint})
}

func (a *assembler) load(spec *ebpf.ProgramSpec) (*ebpf.Program, error) {
	spec.Instructions, spec.License = a.Instructions, "GPL"
	p, err := ebpf.NewProgram(spec)
	if err != nil {
		return nil, fmt.Errorf("the kernel does not accept the program %s: %w", spec.Name, err)
	}
	return p, nil
}
