package goprogram

import (
	"debug/elf"
	"fmt"

	"golang.org/x/arch/x86/x86asm"
)

// prologue is within how many bytes of a function its frame is set up.
const prologue = 64

// Entry is a function of the program.
type Entry struct {
	Start, End uint64 // addresses of its code in the process
	Offset     uint64 // in the binary's file, where a probe is passed exactly once by every call
}

// Entries returns the functions whose names match.
func (p *Program) Entries(match func(name string) bool) (found []Entry, err error) {
	for i := range p.functions {
		f := &p.functions[i]
		if !match(f.name) {
			continue
		}
		offset, err := p.entry(f)
		if err != nil {
			return nil, err
		}
		found = append(found, Entry{f.start + p.bias, f.end + p.bias, offset})
	}
	return found, nil
}

// entry returns the offset of a function's Entry: at PUSH BP, behind the check of the stack's size. The prologue starts anew from the
// first instruction when the stack had to grow or the goroutine was preempted there, so that a
// probe on it would count some calls twice. The kernel also emulates PUSH, and executes most other
// instructions in single steps, which takes ten times as long.
func (p *Program) entry(f *function) (offset uint64, err error) {
	segment := p.segment(f.start)
	if segment == nil {
		return 0, fmt.Errorf("the code of %s is not in the binary", f.name)
	}
	start := f.start - segment.Vaddr
	code := make([]byte, min(prologue, f.end-f.start))
	if _, err := segment.ReadAt(code, int64(start)); err != nil {
		return 0, fmt.Errorf("cannot read the code of %s: %w", f.name, err)
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
	return 0, fmt.Errorf("%s does not set up a frame in its first %d bytes, so its calls cannot be counted", f.name, prologue)
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
