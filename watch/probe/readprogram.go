package probe

import (
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf/asm"
)

// The numbers of the system calls that are followed: those of os.File.Read and os.File.ReadAt, and
// those that fetch a range ahead.
const (
	sysRead      = 0
	sysPread64   = 17
	sysReadahead = 187
	sysFadvise64 = 221
)

// willNeed is the only advice that reads (POSIX_FADV_WILLNEED).
const willNeed = 3

// followed goes to out unless the system call in R2 is followed.
func (a *assembler) followed() {
	follow := a.newLabel()
	for _, call := range []int32{sysPread64, sysRead, sysReadahead} {
		a.add(asm.JEq.Imm(asm.R2, call, follow))
	}
	a.add(asm.JNE.Imm(asm.R2, sysFadvise64, "out"), asm.Mov.Reg(asm.R2, asm.R2).WithSymbol(follow))
}

// namespace identifies the PID namespace of a process, and the process in it.
type namespace struct{ device, inode, pid uint64 }

// beganProgram notes when a read or prefetch of the process began, and how many bytes its thread had read
// from devices by then. A thread's note is made once and then written over: to make and delete it at
// each read would take three times as long.
func beganProgram(m *maps, o *offsets, n namespace) *assembler {
	const ids, thread, slot, bytes, none = -8, -16, -24, -32, -48
	a := &assembler{}
	a.load(asm.R2, asm.R1, 8)
	a.followed()
	a.add(asm.JNE.Imm(asm.R2, sysFadvise64, "asked"))
	a.load(asm.R1, asm.R1, 0)
	a.load(asm.R1, asm.R1, regR10)
	a.add(asm.JNE.Imm(asm.R1, willNeed, "out"))
	a.label("asked")
	a.ofProcess(m, n, thread, slot, ids)
	a.add(asm.FnGetCurrentTask.Call(), asm.Mov.Reg(asm.R6, asm.R0))
	a.readKernel(bytes, 8, asm.R6, o.readBytes)
	a.value(mapIs(m.pending), thread, none, 16, "full")
	a.add(asm.Mov.Reg(asm.R6, asm.R0))
	a.copy(asm.R6, 8, asm.RFP, bytes)
	a.add(asm.FnKtimeGetNs.Call())
	a.store(asm.R6, 0, asm.R0)
	a.add(asm.Ja.Label("out"))
	a.label("full")
	a.bump(m, finished, slot)
	a.bump(m, dropped, slot)
	return a.end("out")
}

// ofProcess goes to out if this is not the process. It stores the thread's number, and uses R7 and R8.
func (a *assembler) ofProcess(m *maps, n namespace, thread, slot, ids int16) {
	a.add(
		asm.FnGetCurrentPidTgid.Call(),
		asm.StoreMem(asm.RFP, thread, asm.R0, asm.Word),
		asm.Mov.Reg(asm.R7, asm.R0), asm.RSh.Imm(asm.R7, 32),
	)
	a.element(m.process, 0, slot, "out")
	a.load(asm.R1, asm.R0, 0)
	a.add(asm.JEq.Reg(asm.R1, asm.R7, "ours"), asm.JNE.Imm(asm.R1, 0, "out"))
	a.identify(n, ids)
	a.label("ours")
}

// replaced is written over the number of a process that runs another program. No process has this number.
const replaced = ^uint64(0)

// execProgram ends the counting when the process runs another program: functions, databases and stacks are others then.
func execProgram(m *maps, n namespace) *assembler {
	const ids, thread, slot = -8, -16, -24
	a := &assembler{}
	a.ofProcess(m, n, thread, slot, ids)
	a.element(m.counting, 0, slot, "out")
	a.zero(asm.R0, 0, 8)
	a.element(m.process, 0, slot, "out")
	a.add(asm.Mov.Imm(asm.R1, -1))
	a.store(asm.R0, 0, asm.R1)
	return a.end("out")
}

// identify goes to out if this is another process. Else it stores the process's number outside of all
// namespaces, which is in R7, at R0. It uses R8.
func (a *assembler) identify(n namespace, ids int16) {
	a.add(
		asm.Mov.Reg(asm.R8, asm.R0),
		asm.LoadImm(asm.R1, int64(n.device), asm.DWord),
		asm.LoadImm(asm.R2, int64(n.inode), asm.DWord),
	)
	a.stackAddress(asm.R3, ids)
	a.add(
		asm.Mov.Imm(asm.R4, 8),
		asm.FnGetNsCurrentPidTgid.Call(), // fails in processes of other namespaces
		asm.JNE.Imm(asm.R0, 0, "out"),
		asm.LoadMem(asm.R1, asm.RFP, ids+4, asm.Word),
		asm.JNE.Imm(asm.R1, int32(n.pid), "out"),
		asm.StoreMem(asm.R8, 0, asm.R7, asm.DWord),
	)
}

// The stack of endedProgram, in bytes below its top.
const (
	threadAt = -8
	slotAt   = threadAt - 8
	keyAt    = slotAt - 8
	beganAt  = keyAt - 8
	bytesAt  = beganAt - 8
	pieceAt  = bytesAt - 8
	frameAt  = pieceAt - frameBytes
)

// endedProgram delivers a read or prefetch of the process with all that is known of it. It belongs to
// a Get if one of its callers is an entry.
func endedProgram(m *maps, o *offsets, t *Target) *assembler {
	a := &assembler{}
	a.add(asm.Mov.Reg(asm.R6, asm.R1))
	a.load(asm.R1, asm.R6, 0)
	a.load(asm.R2, asm.R1, regCall)
	a.followed()
	a.add(asm.FnGetCurrentPidTgid.Call(), asm.StoreMem(asm.RFP, threadAt, asm.R0, asm.Word))
	a.lookup(mapIs(m.pending), threadAt, "out") // else it is another process
	a.load(asm.R1, asm.R0, 0)
	a.add(asm.JEq.Imm(asm.R1, 0, "out")) // it began before the program was attached
	a.store(asm.RFP, beganAt, asm.R1)
	a.copy(asm.RFP, bytesAt, asm.R0, 8)
	a.zero(asm.R0, 0, 8)
	a.regular(o)
	a.bump(m, finished, slotAt)
	a.element(m.stacks, 0, slotAt, "dropped")
	a.add(asm.Mov.Reg(asm.R9, asm.R0))
	a.load(asm.R1, asm.R6, 0)
	a.load(asm.R7, asm.R1, regBP)
	a.zero(asm.RFP, pieceAt, 8)
	a.walk(t.Entries, func() { a.readPiece(pieceAt, "others") }, "others")
	a.label("ofGet")
	a.deliver(m, o, true, t.Stacks)
	a.label("others")
	a.deliver(m, o, false, true)
	a.label("dropped")
	a.bump(m, dropped, slotAt)
	return a.end("out")
}

// regular goes to out if the call was a read of something else than a file, such as a socket. Those
// of other calls are files. R6 is the context.
func (a *assembler) regular(o *offsets) {
	const format, file = 0o170000, 0o100000 // S_IFMT, S_IFREG
	a.load(asm.R1, asm.R6, 0)
	a.load(asm.R2, asm.R1, regCall)
	a.add(
		asm.JNE.Imm(asm.R2, sysRead, "regular"),
		asm.LoadMem(asm.R8, asm.R1, regDI, asm.Word),
		asm.FnGetCurrentTask.Call(),
		asm.Mov.Reg(asm.R7, asm.R0),
	)
	a.dentry(o)
	a.follow(o.inode)
	a.field(asm.R1, 2, asm.R7, o.mode)
	a.add(asm.And.Imm(asm.R1, format), asm.JNE.Imm(asm.R1, file, "out"))
	a.label("regular")
}

// deliver writes an event to the ring buffer and returns, or goes to dropped. R6 is the context.
func (a *assembler) deliver(m *maps, o *offsets, ofGet, withStack bool) {
	length := int32(atStack)
	if withStack {
		length = eventBytes
	}
	a.reserve(m.ring, length, "dropped")
	a.add(asm.Mov.Reg(asm.R9, asm.R0), asm.FnKtimeGetNs.Call())
	a.load(asm.R1, asm.RFP, beganAt)
	a.store(asm.R9, atBegan, asm.R1)
	a.add(asm.Sub.Reg(asm.R0, asm.R1))
	a.store(asm.R9, atLatency, asm.R0)
	a.add(asm.FnGetCurrentTask.Call(), asm.Mov.Reg(asm.R7, asm.R0))
	a.field(asm.R1, 8, asm.R7, o.readBytes)
	a.load(asm.R2, asm.RFP, bytesAt)
	a.add(asm.Sub.Reg(asm.R1, asm.R2))
	a.store(asm.R9, atDeviceBytes, asm.R1)
	a.load(asm.R2, asm.R6, 0) // the registers of the process
	a.copy(asm.R9, atGoroutine, asm.R2, regR14)
	a.copy(asm.R9, atOffset, asm.R2, regR10)
	a.copy(asm.R9, atLength, asm.R2, regDX)
	a.load(asm.R1, asm.R2, regCall)
	a.store(asm.R9, atCall, asm.R1)
	reading := a.newLabel()
	a.add(asm.JLE.Imm(asm.R1, sysPread64, reading))
	a.copy(asm.R9, atOffset, asm.R2, regSI)
	a.add(asm.Mov.Reg(asm.R2, asm.R2).WithSymbol(reading))
	a.copy(asm.R9, atReturned, asm.R6, 8)
	a.add(
		asm.LoadMem(asm.R8, asm.R2, regDI, asm.Word),
		asm.StoreMem(asm.R9, atFD, asm.R8, asm.Word),
		asm.Mov.Imm(asm.R1, int32(number(ofGet))),
		asm.StoreMem(asm.R9, atFD+4, asm.R1, asm.Word),
	)
	a.lastGet(m)
	a.file(o)
	a.stack(withStack)
	a.add(
		asm.Mov.Reg(asm.R1, asm.R9),
		asm.Mov.Imm(asm.R2, noWakeup),
		asm.FnRingbufSubmit.Call(),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	)
}

// noWakeup (BPF_RB_NO_WAKEUP) does not wake the reader, which polls.
const noWakeup = 1

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// lastGet copies the last Get of the goroutine to the event.
func (a *assembler) lastGet(m *maps) {
	none := a.newLabel()
	a.zero(asm.R9, atGetDB, 24)
	a.copy(asm.RFP, keyAt, asm.R9, atGoroutine)
	a.lookup(mapIs(m.gets), keyAt, none)
	for i := int16(0); i < 3; i++ {
		a.copy(asm.R9, atGetDB+8*i, asm.R0, 8*i)
	}
	a.label(none)
}

// file writes the file's name, version, directory and device to the event, from the structures of
// the kernel: looked up later, the descriptor could be another file's. R7 is the task, R8 the
// descriptor.
func (a *assembler) file(o *offsets) {
	a.dentry(o)
	a.field(asm.R3, 8, asm.R7, o.name)
	a.add(
		asm.Mov.Reg(asm.R1, asm.R9), asm.Add.Imm(asm.R1, atName),
		asm.Mov.Imm(asm.R2, nameBytes),
		asm.FnProbeReadKernelStr.Call(),
	)
	inodeTo := func(at int16) { // of the dentry in R8, which becomes its inode
		a.field(asm.R8, 8, asm.R8, o.inode)
		a.fieldTo(at, 8, asm.R8, o.number)
	}
	a.field(asm.R8, 8, asm.R7, o.parent)
	inodeTo(atFolderInode)
	a.add(asm.Mov.Reg(asm.R8, asm.R7))
	inodeTo(atInode)
	a.fieldTo(atSize, 8, asm.R8, o.size)
	a.fieldTo(atSeconds, 8, asm.R8, o.seconds)
	a.fieldTo(atNanoseconds, 4, asm.R8, o.nanoseconds)
	a.field(asm.R7, 8, asm.R8, o.superblock)
	a.fieldTo(atDevice, 4, asm.R7, o.device)
}

// dentry sets R7, the task, to the directory entry of the file whose descriptor is in R8, which it uses.
func (a *assembler) dentry(o *offsets) {
	a.follow(o.files)
	a.follow(o.fdt)
	a.follow(o.fd)
	a.add(asm.LSh.Imm(asm.R8, 3), asm.Add.Reg(asm.R7, asm.R8))
	a.follow(0)
	a.follow(o.dentry)
}

// follow sets R7 to the pointer at R7+off.
func (a *assembler) follow(off int32) { a.field(asm.R7, 8, asm.R7, off) }

// field sets a register to a number of the kernel's at base+off, of up to eight bytes.
func (a *assembler) field(to asm.Register, bytes int32, base asm.Register, off int32) {
	a.zero(asm.RFP, slotAt, 8)
	a.readKernel(slotAt, bytes, base, off)
	a.load(to, asm.RFP, slotAt)
}

func (a *assembler) fieldTo(at int16, bytes int32, base asm.Register, off int32) {
	a.field(asm.R1, bytes, base, off)
	a.store(asm.R9, at, asm.R1)
}

// userStack (BPF_F_USER_STACK) asks for the stack of the process.
const userStack = 1 << 8

func (a *assembler) stack(wanted bool) {
	a.zero(asm.R9, atStackBytes, 16)
	if !wanted {
		return
	}
	a.add(
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Reg(asm.R2, asm.R9), asm.Add.Imm(asm.R2, atStack),
		asm.Mov.Imm(asm.R3, 8*maxStack),
		asm.Mov.Imm(asm.R4, userStack),
		asm.FnGetStack.Call(),
	)
	a.store(asm.R9, atStackBytes, asm.R0)
	a.deepStack()
}

// deepStack walks a stack from which the kernel has taken as much as it takes, and keeps its outermost callers. R6 is
// the context. It uses R7 and R8.
func (a *assembler) deepStack() {
	up, keep, done := a.newLabel(), a.newLabel(), a.newLabel()
	a.add(asm.JSLT.Imm(asm.R0, int32(8*kernelStack()), done), asm.Mov.Imm(asm.R8, 0))
	a.load(asm.R1, asm.R6, 0)
	a.load(asm.R7, asm.R1, regBP)
	a.label(up)
	a.readFrame(frameAt, done)
	a.add(
		asm.Add.Imm(asm.R8, 1), // the first address is where the call was made
		asm.StoreMem(asm.R9, atFrames, asm.R8, asm.DWord),
		asm.Mov.Reg(asm.R1, asm.R8),
		asm.JLT.Imm(asm.R1, innerStack, keep),
		asm.Sub.Imm(asm.R1, innerStack),
		asm.And.Imm(asm.R1, outerStack-1),
		asm.Add.Imm(asm.R1, innerStack),
		asm.LSh.Imm(asm.R1, 3).WithSymbol(keep),
		asm.Add.Reg(asm.R1, asm.R9),
		asm.LoadMem(asm.R2, asm.R0, 8, asm.DWord),
		asm.StoreMem(asm.R1, atStack, asm.R2, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JLE.Reg(asm.R1, asm.R7, done), // callers' frames lie higher
		asm.Mov.Reg(asm.R7, asm.R1),
		asm.JLT.Imm(asm.R8, maxCalls, up),
	)
	a.label(done)
}

// kernelStack returns how many return addresses the kernel collects of a stack, of maxStack.
func kernelStack() int {
	text, err := os.ReadFile("/proc/sys/kernel/perf_event_max_stack")
	if n, wrong := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && wrong == nil {
		return min(n, maxStack)
	}
	return maxStack
}
