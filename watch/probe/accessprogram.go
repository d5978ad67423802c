package probe

import "github.com/cilium/ebpf/asm"

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
	blockNone      = blockSlot - 8
	blockFrame     = blockNone - frameBytes
)

const blockWords = 4

// accessProgram counts the accesses of blocks by Gets that count. It walks the stack as for a read.
func accessProgram(m *maps, r BlockRegisters, entries []Entry) *assembler {
	a := &assembler{}
	a.copy(asm.RFP, blockAt+16, asm.R1, r.file)
	a.copy(asm.RFP, blockAt+24, asm.R1, r.offset)
	a.copy(asm.RFP, blockGoroutine, asm.R1, regR14)
	a.load(asm.R7, asm.R1, regBP)
	a.lookup(mapIs(m.gets), blockGoroutine, "out")
	a.load(asm.R1, asm.R0, 0)
	a.add(asm.JEq.Imm(asm.R1, 0, "out")) // it does not count
	a.copy(asm.RFP, blockAt, asm.R0, 0)
	a.copy(asm.RFP, blockAt+8, asm.R0, 8)
	a.walk(entries, func() { a.readFrame(blockFrame, "out") }, "out")
	a.label("ofGet")
	a.element(m.accesses, 0, blockSlot, "lost")
	a.add(asm.Mov.Reg(asm.R9, asm.R0)) // the map of blocks
	a.value(asm.Mov.Reg(asm.R1, asm.R9), blockAt, blockNone, 8, "lost")
	a.increment()
	a.add(asm.Ja.Label("out"))
	a.label("lost")
	a.bump(m, lostAccesses, blockSlot)
	return a.end("out")
}

// seekProgram counts the calls of a group of functions while Gets are counted.
func seekProgram(m *maps, group int) *assembler {
	const slot = -8
	a := &assembler{}
	a.element(m.counting, 0, slot, "out")
	a.load(asm.R1, asm.R0, 0)
	a.add(asm.JEq.Imm(asm.R1, 0, "out"))
	a.element(m.seeks, group, slot, "out")
	a.increment()
	return a.end("out")
}
