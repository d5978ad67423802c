package probe

import (
	"os"
	"strconv"
	"strings"

	"github.com/cilium/ebpf"
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
	a.add(
		asm.LoadMem(asm.R2, asm.R1, 8, asm.DWord),
	)
	a.followed()
	a.add(
		asm.JNE.Imm(asm.R2, sysFadvise64, "asked"),
		asm.LoadMem(asm.R1, asm.R1, 0, asm.DWord),
		asm.LoadMem(asm.R1, asm.R1, regR10, asm.DWord),
		asm.JNE.Imm(asm.R1, willNeed, "out"),
	)
	a.label("asked")
	a.ofProcess(m, n, thread, slot, ids)
	a.add(asm.FnGetCurrentTask.Call(), asm.Mov.Reg(asm.R6, asm.R0))
	a.readKernel(bytes, 8, asm.R6, o.readBytes)
	a.lookup(m.pending, thread)
	a.add(asm.JNE.Imm(asm.R0, 0, "known"))
	a.zero(asm.RFP, none)
	a.zero(asm.RFP, none+8)
	a.update(m.pending, thread, none, ebpf.UpdateAny)
	a.lookup(m.pending, thread)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "full"),
		asm.Mov.Reg(asm.R6, asm.R0).WithSymbol("known"),
		asm.LoadMem(asm.R1, asm.RFP, bytes, asm.DWord),
		asm.StoreMem(asm.R6, 8, asm.R1, asm.DWord),
		asm.FnKtimeGetNs.Call(),
		asm.StoreMem(asm.R6, 0, asm.R0, asm.DWord),
		asm.Ja.Label("out"),
	)
	a.label("full")
	a.bump(m.counters, finished, slot)
	a.bump(m.counters, dropped, slot)
	a.label("out")
	a.add(asm.Return())
	return a
}

// ofProcess goes to out if this is not the process. It stores the thread's number, and uses R7 and R8.
func (a *assembler) ofProcess(m *maps, n namespace, thread, slot int16, ids int32) {
	a.add(
		asm.FnGetCurrentPidTgid.Call(),
		asm.StoreMem(asm.RFP, thread, asm.R0, asm.Word),
		asm.Mov.Reg(asm.R7, asm.R0), asm.RSh.Imm(asm.R7, 32),
		asm.StoreImm(asm.RFP, slot, 0, asm.Word),
	)
	a.lookup(m.process, int32(slot))
	a.add(
		asm.JEq.Imm(asm.R0, 0, "out"),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JEq.Reg(asm.R1, asm.R7, "ours"),
		asm.JNE.Imm(asm.R1, 0, "out"),
	)
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
	a.lookup(m.counting, slot)
	a.add(asm.JEq.Imm(asm.R0, 0, "out"))
	a.zero(asm.R0, 0)
	a.lookup(m.process, slot)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "out"),
		asm.Mov.Imm(asm.R1, -1),
		asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
	)
	a.label("out")
	a.add(asm.Return())
	return a
}

// identify goes to out if this is another process. Else it stores the process's number outside of all
// namespaces, which is in R7, at R0. It uses R8.
func (a *assembler) identify(n namespace, ids int32) {
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
		asm.LoadMem(asm.R1, asm.RFP, int16(ids)+4, asm.Word),
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
	a.add(
		asm.Mov.Reg(asm.R6, asm.R1),
		asm.LoadMem(asm.R1, asm.R6, 0, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, regCall, asm.DWord),
	)
	a.followed()
	a.add(
		asm.FnGetCurrentPidTgid.Call(),
		asm.StoreMem(asm.RFP, threadAt, asm.R0, asm.Word),
	)
	a.lookup(m.pending, threadAt)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "out"), // another process
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, "out"), // it began before the program was attached
		asm.StoreMem(asm.RFP, beganAt, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, 8, asm.DWord),
		asm.StoreMem(asm.RFP, bytesAt, asm.R1, asm.DWord),
	)
	a.zero(asm.R0, 0)
	a.regular(o)
	a.bump(m.counters, finished, slotAt)
	a.add(asm.StoreImm(asm.RFP, slotAt, 0, asm.Word))
	a.lookup(m.stacks, slotAt)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "dropped"),
		asm.Mov.Reg(asm.R9, asm.R0),
		asm.LoadMem(asm.R1, asm.R6, 0, asm.DWord),
		asm.LoadMem(asm.R7, asm.R1, regBP, asm.DWord),
	)
	a.zero(asm.RFP, pieceAt)
	a.walk(t.Entries, func() { a.readPiece(pieceAt, "others") }, "others")
	a.label("ofGet")
	a.deliver(m, o, true, t.Stacks)
	a.label("others")
	a.deliver(m, o, false, true)
	a.label("dropped")
	a.bump(m.counters, dropped, slotAt)
	a.label("out")
	a.add(asm.Return())
	return a
}

// regular goes to out if the call was a read of something else than a file, such as a socket. Those
// of other calls are files. R6 is the context.
func (a *assembler) regular(o *offsets) {
	const format, file = 0o170000, 0o100000 // S_IFMT, S_IFREG
	a.add(
		asm.LoadMem(asm.R1, asm.R6, 0, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, regCall, asm.DWord),
		asm.JNE.Imm(asm.R2, sysRead, "regular"),
		asm.LoadMem(asm.R8, asm.R1, regDI, asm.Word),
		asm.FnGetCurrentTask.Call(),
		asm.Mov.Reg(asm.R7, asm.R0),
	)
	a.dentry(o)
	a.follow(o.inode)
	a.zero(asm.RFP, slotAt)
	a.readKernel(slotAt, 2, asm.R7, o.mode)
	a.add(
		asm.LoadMem(asm.R1, asm.RFP, slotAt, asm.DWord),
		asm.And.Imm(asm.R1, format),
		asm.JNE.Imm(asm.R1, file, "out"),
	)
	a.label("regular")
}

// deliver writes an event to the ring buffer and returns, or goes to dropped. R6 is the context.
func (a *assembler) deliver(m *maps, o *offsets, ofGet, withStack bool) {
	length := int32(atStack)
	if withStack {
		length = eventBytes
	}
	a.add(
		asm.LoadMapPtr(asm.R1, m.ring.FD()),
		asm.Mov.Imm(asm.R2, length),
		asm.Mov.Imm(asm.R3, 0),
		asm.FnRingbufReserve.Call(),
		asm.JEq.Imm(asm.R0, 0, "dropped"),
		asm.Mov.Reg(asm.R9, asm.R0),
		asm.FnKtimeGetNs.Call(),
		asm.LoadMem(asm.R1, asm.RFP, beganAt, asm.DWord),
		asm.StoreMem(asm.R9, atBegan, asm.R1, asm.DWord),
		asm.Sub.Reg(asm.R0, asm.R1),
		asm.StoreMem(asm.R9, atLatency, asm.R0, asm.DWord),
		asm.FnGetCurrentTask.Call(),
		asm.Mov.Reg(asm.R7, asm.R0),
	)
	a.readKernel(slotAt, 8, asm.R7, o.readBytes)
	a.add(
		asm.LoadMem(asm.R1, asm.RFP, slotAt, asm.DWord),
		asm.LoadMem(asm.R2, asm.RFP, bytesAt, asm.DWord),
		asm.Sub.Reg(asm.R1, asm.R2),
		asm.StoreMem(asm.R9, atDeviceBytes, asm.R1, asm.DWord),
	)
	a.add(asm.LoadMem(asm.R2, asm.R6, 0, asm.DWord)) // the registers of the process
	for _, field := range []struct{ at, reg int16 }{{atGoroutine, regR14}, {atOffset, regR10}, {atLength, regDX}, {atCall, regCall}} {
		a.add(asm.LoadMem(asm.R1, asm.R2, field.reg, asm.DWord), asm.StoreMem(asm.R9, field.at, asm.R1, asm.DWord))
	}
	reading := a.newLabel() // R1 is the call
	a.add(
		asm.JLE.Imm(asm.R1, sysPread64, reading),
		asm.LoadMem(asm.R1, asm.R2, regSI, asm.DWord),
		asm.StoreMem(asm.R9, atOffset, asm.R1, asm.DWord),
		asm.Mov.Reg(asm.R2, asm.R2).WithSymbol(reading),
	)
	a.add(
		asm.LoadMem(asm.R1, asm.R6, 8, asm.DWord),
		asm.StoreMem(asm.R9, atReturned, asm.R1, asm.DWord),
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
	for at := int16(atGetDB); at <= atGetNumber; at += 8 {
		a.zero(asm.R9, at)
	}
	a.add(asm.LoadMem(asm.R1, asm.R9, atGoroutine, asm.DWord), asm.StoreMem(asm.RFP, keyAt, asm.R1, asm.DWord))
	a.lookup(m.gets, keyAt)
	a.add(asm.JEq.Imm(asm.R0, 0, none))
	for i := int16(0); i < 3; i++ {
		a.add(asm.LoadMem(asm.R1, asm.R0, 8*i, asm.DWord), asm.StoreMem(asm.R9, atGetDB+8*i, asm.R1, asm.DWord))
	}
	a.label(none)
}

// file writes the file's name, version, directory and device to the event, from the structures of
// the kernel: looked up later, the descriptor could be another file's. R7 is the task, R8 the
// descriptor.
func (a *assembler) file(o *offsets) {
	a.dentry(o)
	a.readKernel(slotAt, 8, asm.R7, o.name)
	a.add(
		asm.LoadMem(asm.R3, asm.RFP, slotAt, asm.DWord),
		asm.Mov.Reg(asm.R1, asm.R9), asm.Add.Imm(asm.R1, atName),
		asm.Mov.Imm(asm.R2, nameBytes),
		asm.FnProbeReadKernelStr.Call(),
	)
	inodeTo := func(at int16) { // of the dentry in R8, which becomes its inode
		a.readKernel(slotAt, 8, asm.R8, o.inode)
		a.add(asm.LoadMem(asm.R8, asm.RFP, slotAt, asm.DWord))
		a.readKernel(slotAt, 8, asm.R8, o.number)
		a.add(asm.LoadMem(asm.R1, asm.RFP, slotAt, asm.DWord), asm.StoreMem(asm.R9, at, asm.R1, asm.DWord))
	}
	a.readKernel(slotAt, 8, asm.R7, o.parent)
	a.add(asm.LoadMem(asm.R8, asm.RFP, slotAt, asm.DWord))
	inodeTo(atFolderInode)
	a.add(asm.Mov.Reg(asm.R8, asm.R7))
	inodeTo(atInode)
	for _, field := range []struct {
		to    int16
		from  int32
		bytes int32
	}{{atSize, o.size, 8}, {atSeconds, o.seconds, 8}, {atNanoseconds, o.nanoseconds, 4}} {
		a.zero(asm.RFP, slotAt)
		a.readKernel(slotAt, field.bytes, asm.R8, field.from)
		a.add(asm.LoadMem(asm.R1, asm.RFP, slotAt, asm.DWord), asm.StoreMem(asm.R9, field.to, asm.R1, asm.DWord))
	}
	a.readKernel(slotAt, 8, asm.R8, o.superblock)
	a.add(asm.LoadMem(asm.R7, asm.RFP, slotAt, asm.DWord))
	a.zero(asm.RFP, slotAt)
	a.readKernel(slotAt, 4, asm.R7, o.device)
	a.add(asm.LoadMem(asm.R1, asm.RFP, slotAt, asm.DWord), asm.StoreMem(asm.R9, atDevice, asm.R1, asm.DWord))
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
func (a *assembler) follow(off int32) {
	a.readKernel(slotAt, 8, asm.R7, off)
	a.add(asm.LoadMem(asm.R7, asm.RFP, slotAt, asm.DWord))
}

// userStack (BPF_F_USER_STACK) asks for the stack of the process.
const userStack = 1 << 8

// stack writes the return addresses to the event.
func (a *assembler) stack(wanted bool) {
	a.zero(asm.R9, atStackBytes)
	a.zero(asm.R9, atFrames)
	if !wanted {
		return
	}
	a.add(
		asm.Mov.Reg(asm.R1, asm.R6),
		asm.Mov.Reg(asm.R2, asm.R9), asm.Add.Imm(asm.R2, atStack),
		asm.Mov.Imm(asm.R3, 8*maxStack),
		asm.Mov.Imm(asm.R4, userStack),
		asm.FnGetStack.Call(),
		asm.StoreMem(asm.R9, atStackBytes, asm.R0, asm.DWord),
	)
	a.deepStack()
}

// deepStack walks a stack from which the kernel has taken as much as it takes, and keeps its outermost callers. R6 is
// the context. It uses R7 and R8.
func (a *assembler) deepStack() {
	up, keep, done := a.newLabel(), a.newLabel(), a.newLabel()
	a.add(
		asm.JSLT.Imm(asm.R0, int32(8*kernelStack()), done),
		asm.LoadMem(asm.R1, asm.R6, 0, asm.DWord),
		asm.LoadMem(asm.R7, asm.R1, regBP, asm.DWord),
		asm.Mov.Imm(asm.R8, 0),
	)
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
