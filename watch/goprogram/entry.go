package goprogram

import (
	"debug/elf"
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// prologue is within how many bytes of a function its frame is set up.
const prologue = 64

// Entry returns where in the binary's file a probe is passed exactly once by every call of a
// function: at PUSH BP, behind the check of the stack's size. The prologue starts anew from the
// first instruction when the stack had to grow or the goroutine was preempted there, so that a
// probe on it would count some calls twice. The kernel also emulates PUSH, and executes most other
// instructions in single steps, which takes ten times as long.
func (p *Program) Entry(f Function) (offset uint64, err error) {
	segment := p.segment(f.Start - p.bias)
	if segment == nil {
		return 0, fmt.Errorf("the code of %s is not in the binary", f.Name)
	}
	start := f.Start - p.bias - segment.Vaddr
	code := make([]byte, min(prologue, f.End-f.Start))
	if _, err := segment.ReadAt(code, int64(start)); err != nil {
		return 0, fmt.Errorf("cannot read the code of %s: %w", f.Name, err)
	}
	for at := 0; at < len(code); {
		in, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			break
		}
		if in.Op == x86asm.PUSH && in.Args[0] == x86asm.RBP && setsFrame(code[at+in.Len:]) {
			return segment.Off + start + uint64(at), nil
		}
		at += in.Len
	}
	return 0, fmt.Errorf("%s does not set up a frame in its first %d bytes, so its calls cannot be counted", f.Name, prologue)
}

// setsFrame reports whether code begins with MOV BP, SP. Behind PUSH BP, that sets up a frame; other code may hold the same
// byte as PUSH BP.
func setsFrame(code []byte) bool {
	in, err := x86asm.Decode(code, 64)
	return err == nil && in.Op == x86asm.MOV && in.Args[0] == x86asm.RBP && in.Args[1] == x86asm.RSP
}

// segment returns the executable segment that holds an address of the file.
func (p *Program) segment(address uint64) *elf.Prog {
	for _, s := range p.file.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 && s.Vaddr <= address && address < s.Vaddr+s.Filesz {
			return s
		}
	}
	return nil
}
