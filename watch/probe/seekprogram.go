package probe

import "github.com/cilium/ebpf/asm"

// seekProgram counts the calls of a group of functions while Gets are counted.
func seekProgram(m *maps, group int) *assembler {
	const slot = -8
	a := &assembler{}
	a.add(asm.StoreImm(asm.RFP, slot, 0, asm.Word))
	a.lookup(m.counting, slot)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "out"),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JEq.Imm(asm.R1, 0, "out"),
		asm.StoreImm(asm.RFP, slot, int64(group), asm.Word),
	)
	a.lookup(m.seeks, slot)
	a.add(asm.JEq.Imm(asm.R0, 0, "out"))
	a.increment()
	a.label("out")
	a.add(asm.Return())
	return a
}
