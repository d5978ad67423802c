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

// end marks the end of the program, which returns 0.
func (a *assembler) end(name string) *assembler {
	a.label(name)
	a.add(asm.Return())
	return a
}

// load sets a register to the eight bytes at base+off.
func (a *assembler) load(to, base asm.Register, off int16) {
	a.add(asm.LoadMem(to, base, off, asm.DWord))
}

// store sets the eight bytes at base+off to a register.
func (a *assembler) store(base asm.Register, off int16, from asm.Register) {
	a.add(asm.StoreMem(base, off, from, asm.DWord))
}

// copy copies eight bytes from base+off. It uses R5.
func (a *assembler) copy(to asm.Register, at int16, base asm.Register, off int16) {
	a.load(asm.R5, base, off)
	a.store(to, at, asm.R5)
}

// zero sets bytes to 0. The machine has no such store of eight bytes at once.
func (a *assembler) zero(base asm.Register, at, bytes int16) {
	for end := at + bytes; at < end; at += 4 {
		a.add(asm.StoreImm(base, at, 0, asm.Word))
	}
}

// stackAddress sets a register to an address on the program's stack.
func (a *assembler) stackAddress(r asm.Register, at int16) {
	a.add(asm.Mov.Reg(r, asm.RFP), asm.Add.Imm(r, int32(at)))
}

// mapIs sets R1 to a map.
func mapIs(m *ebpf.Map) asm.Instruction { return asm.LoadMapPtr(asm.R1, m.FD()) }

// lookup sets R0 to the address of the value whose key is on the stack, or goes to missing. in sets R1 to the map.
func (a *assembler) lookup(in asm.Instruction, key int16, missing string) {
	a.add(in)
	a.stackAddress(asm.R2, key)
	a.add(asm.FnMapLookupElem.Call(), asm.JEq.Imm(asm.R0, 0, missing))
}

// element is lookup in an array. It uses eight bytes of the stack.
func (a *assembler) element(m *ebpf.Map, index int, at int16, missing string) {
	a.add(asm.StoreImm(asm.RFP, at, int64(index), asm.Word))
	a.lookup(mapIs(m), at, missing)
}

// value is lookup, but adds a missing key, with zeros for the bytes of its value, which are on the stack at fresh. It
// goes to full if the map is.
func (a *assembler) value(in asm.Instruction, key, fresh, bytes int16, full string) {
	missing, known := a.newLabel(), a.newLabel()
	a.lookup(in, key, missing)
	a.add(asm.Ja.Label(known))
	a.label(missing)
	a.zero(asm.RFP, fresh, bytes)
	a.add(in)
	a.stackAddress(asm.R2, key)
	a.stackAddress(asm.R3, fresh)
	a.add(asm.Mov.Imm(asm.R4, int32(ebpf.UpdateNoExist)), asm.FnMapUpdateElem.Call())
	a.lookup(in, key, full) // also if another thread was first
	a.add(asm.Mov.Reg(asm.R0, asm.R0).WithSymbol(known))
}

// increment adds one to the number at R0, in one step: even a number of this processor's own is not
// safe from other threads, which may preempt the program on it.
func (a *assembler) increment() {
	a.add(asm.Mov.Imm(asm.R1, 1), asm.StoreXAdd(asm.R0, asm.R1, asm.DWord))
}

// bump adds one to a counter. It uses eight bytes of the stack.
func (a *assembler) bump(m *maps, counter counter, at int16) {
	done := a.newLabel()
	a.element(m.counters, int(counter), at, done)
	a.increment()
	a.label(done)
}

// readKernel reads size bytes of the kernel's memory at base+off to the stack.
func (a *assembler) readKernel(to int16, size int32, base asm.Register, off int32) {
	a.add(asm.Mov.Reg(asm.R3, base), asm.Add.Imm(asm.R3, off))
	a.stackAddress(asm.R1, to)
	a.add(asm.Mov.Imm(asm.R2, size), asm.FnProbeReadKernel.Call())
}

// reserve sets R0 to the address of an event in a ring buffer, or goes to full.
func (a *assembler) reserve(ring *ebpf.Map, bytes int32, full string) {
	a.add(
		mapIs(ring),
		asm.Mov.Imm(asm.R2, bytes),
		asm.Mov.Imm(asm.R3, 0),
		asm.FnRingbufReserve.Call(),
		asm.JEq.Imm(asm.R0, 0, full),
	)
}

// program loads the instructions into the kernel, which verifies them.
func (a *assembler) program(spec ebpf.ProgramSpec) (*ebpf.Program, error) {
	spec.Instructions, spec.License = a.Instructions, "GPL"
	p, err := ebpf.NewProgram(&spec)
	if err != nil {
		return nil, fmt.Errorf("the kernel does not accept the program %s: %w", spec.Name, err)
	}
	return p, nil
}

// tracepointProgram is program for a raw tracepoint. The kernel knows the types of its arguments, so
// that the instructions read what they point to without a helper.
func (a *assembler) tracepointProgram(name, tracepoint string) (*ebpf.Program, error) {
	return a.program(ebpf.ProgramSpec{Name: name, Type: ebpf.Tracing, AttachType: ebpf.AttachTraceRawTp, AttachTo: tracepoint})
}
