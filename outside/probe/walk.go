package probe

import "github.com/cilium/ebpf/asm"

// maxFrames bounds how far a stack is walked.
const maxFrames = 64

// walk goes to ofGet if an entry is among the callers whose frames begin at R7, else to others. It
// uses 16 bytes of the program's stack at frame, and R8.
func (a *assembler) walk(entries []Entry, frame int32, others string) {
	a.add(asm.Mov.Imm(asm.R8, 0))
	a.add(asm.Mov.Reg(asm.R1, asm.RFP).WithSymbol("up"), asm.Add.Imm(asm.R1, frame))
	a.add(
		asm.Mov.Imm(asm.R2, 16),
		asm.Mov.Reg(asm.R3, asm.R7),
		asm.FnProbeReadUser.Call(),
		asm.JNE.Imm(asm.R0, 0, others),
		asm.LoadMem(asm.R1, asm.RFP, int16(frame)+8, asm.DWord), // the return address
	)
	for _, e := range entries {
		next := a.newLabel()
		a.add(
			asm.LoadImm(asm.R2, int64(e.Start), asm.DWord),
			asm.JLE.Reg(asm.R1, asm.R2, next),
			asm.LoadImm(asm.R2, int64(e.End), asm.DWord),
			asm.JLE.Reg(asm.R1, asm.R2, "ofGet"),
		)
		a.add(asm.Mov.Reg(asm.R1, asm.R1).WithSymbol(next))
	}
	a.add(
		asm.LoadMem(asm.R1, asm.RFP, int16(frame), asm.DWord),
		asm.JLE.Reg(asm.R1, asm.R7, others), // callers' frames lie higher
		asm.Mov.Reg(asm.R7, asm.R1),
		asm.Add.Imm(asm.R8, 1),
		asm.JLT.Imm(asm.R8, maxFrames, "up"),
		asm.Ja.Label(others),
	)
}
