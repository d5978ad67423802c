package probe

import "github.com/cilium/ebpf/asm"

const (
	// maxFrames bounds how far a stack is walked.
	maxFrames = 64
	// frameBytes are the address of the caller's frame and the return address above it.
	frameBytes = 16
	// pieceBytes are copied of a stack at once. From a library's Get to the system call it is 2 KiB.
	pieceBytes = 1 << 11
)

// walk goes to ofGet if an entry is among the callers whose frames begin at R7, else to others. read
// sets R0 to the address of a copy of the frame at R7 and ends, or goes to frame; without a copy it
// goes to others. It uses R8.
func (a *assembler) walk(entries []Entry, read func(), others string) {
	a.add(asm.Mov.Imm(asm.R8, 0))
	a.label("up")
	read()
	a.add(asm.LoadMem(asm.R1, asm.R0, 8, asm.DWord).WithSymbol("frame"))
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
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JLE.Reg(asm.R1, asm.R7, others), // callers' frames lie higher
		asm.Mov.Reg(asm.R7, asm.R1),
		asm.Add.Imm(asm.R8, 1),
		asm.JLT.Imm(asm.R8, maxFrames, "up"),
		asm.Ja.Label(others),
	)
}

// readFrame copies a frame to the program's stack at frame.
func (a *assembler) readFrame(frame int16, others string) {
	a.stackAddress(asm.R1, frame)
	a.add(
		asm.Mov.Imm(asm.R2, frameBytes),
		asm.Mov.Reg(asm.R3, asm.R7),
		asm.FnProbeReadUser.Call(),
		asm.JNE.Imm(asm.R0, 0, others),
		asm.Mov.Reg(asm.R0, asm.RFP), asm.Add.Imm(asm.R0, int32(frame)),
	)
}

// readPiece copies a piece of the stack, from the frame on, to the memory at R9, unless the frame is in
// the piece that is there: each access to the process's memory takes long, whatever its size. The piece's
// address in the process is on the program's stack at piece, and 0 as long as nothing was copied.
func (a *assembler) readPiece(piece int16, others string) {
	copying, copied := a.newLabel(), a.newLabel()
	readUser := func(bytes int32) {
		a.add(
			asm.Mov.Reg(asm.R1, asm.R9),
			asm.Mov.Imm(asm.R2, bytes),
			asm.Mov.Reg(asm.R3, asm.R7),
			asm.FnProbeReadUser.Call(),
			asm.Mov.Imm(asm.R1, 0),
		)
	}
	a.add(
		asm.Mov.Reg(asm.R1, asm.R7),
		asm.LoadMem(asm.R2, asm.RFP, piece, asm.DWord),
		asm.Sub.Reg(asm.R1, asm.R2),
		asm.JGT.Imm(asm.R1, pieceBytes-frameBytes, copying),
		asm.Mov.Reg(asm.R0, asm.R9).WithSymbol(copied),
		asm.Add.Reg(asm.R0, asm.R1),
		asm.Ja.Label("frame"),
		asm.StoreMem(asm.RFP, piece, asm.R7, asm.DWord).WithSymbol(copying),
	)
	readUser(pieceBytes)
	a.add(
		asm.JEq.Imm(asm.R0, 0, copied),
		// The process has not used all of these pages. The frame alone, then, as the end of a piece.
		asm.Mov.Reg(asm.R1, asm.R7),
		asm.Sub.Imm(asm.R1, pieceBytes-frameBytes),
		asm.StoreMem(asm.RFP, piece, asm.R1, asm.DWord),
	)
	readUser(frameBytes)
	a.add(asm.JNE.Imm(asm.R0, 0, others), asm.Ja.Label(copied))
}
