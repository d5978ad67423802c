package probe

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// Access is a function that looks a block up in a block cache.
type Access struct {
	Offset uint64 // in the binary, where each call passes once
	BlockRegisters
}

// BlockRegisters says where a function of Go receives the number of a file and the offset of a
// block in it.
type BlockRegisters struct{ file, offset int16 }

// The places of the first two arguments of a method, and of those after one more.
var (
	BlockFirst   = BlockRegisters{file: regBX, offset: regCX}
	BlockAfterID = BlockRegisters{file: regCX, offset: regDI}
)

// The stack of accessProgram, in bytes below its top. A block is counted by the database and class
// of the Get, its file and its offset there.
const (
	blockAt        = -8 * blockWords
	blockGoroutine = blockAt - 8
	blockSlot      = blockGoroutine - 8
	blockOne       = blockSlot - 8
	blockFrame     = blockOne - frameBytes
)

const blockWords = 4

// accessProgram counts the accesses of blocks by Gets that count. It walks the stack as for a read.
func accessProgram(m *maps, r BlockRegisters, entries []Entry) *assembler {
	a := &assembler{}
	a.add(
		asm.LoadMem(asm.R2, asm.R1, r.file, asm.DWord),
		asm.StoreMem(asm.RFP, blockAt+16, asm.R2, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, r.offset, asm.DWord),
		asm.StoreMem(asm.RFP, blockAt+24, asm.R2, asm.DWord),
		asm.LoadMem(asm.R2, asm.R1, regR14, asm.DWord),
		asm.StoreMem(asm.RFP, blockGoroutine, asm.R2, asm.DWord),
		asm.LoadMem(asm.R7, asm.R1, regBP, asm.DWord),
	)
	a.lookup(m.gets, blockGoroutine)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "out"),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, "out"), // it does not count
		asm.StoreMem(asm.RFP, blockAt, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, 8, asm.DWord),
		asm.StoreMem(asm.RFP, blockAt+8, asm.R1, asm.DWord),
	)
	a.walk(entries, func() { a.readFrame(blockFrame, "out") }, "out")
	a.label("ofGet")
	a.add(asm.StoreImm(asm.RFP, blockSlot, 0, asm.Word))
	a.lookup(m.accesses, blockSlot)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "lost"),
		asm.Mov.Reg(asm.R9, asm.R0), // the map of blocks
		asm.Mov.Imm(asm.R8, 1),
	)
	a.lookupIn(asm.R9, blockAt)
	a.add(asm.JNE.Imm(asm.R0, 0, "known"))
	a.zero(asm.RFP, blockOne)
	a.add(asm.StoreImm(asm.RFP, blockOne, 1, asm.Word), asm.Mov.Reg(asm.R1, asm.R9))
	a.stackAddress(asm.R2, blockAt)
	a.stackAddress(asm.R3, blockOne)
	a.add(
		asm.Mov.Imm(asm.R4, int32(ebpf.UpdateNoExist)),
		asm.FnMapUpdateElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "out"),
	)
	a.lookupIn(asm.R9, blockAt) // another thread was first, or the map is full
	a.add(
		asm.JEq.Imm(asm.R0, 0, "lost"),
		asm.StoreXAdd(asm.R0, asm.R8, asm.DWord).WithSymbol("known"),
		asm.Ja.Label("out"),
	)
	a.label("lost")
	a.bump(m.counters, lostAccesses, blockSlot)
	a.label("out")
	a.add(asm.Return())
	return a
}
