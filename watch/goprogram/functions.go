package goprogram

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"sort"
)

// readFunctions reads the function table (go.dev/s/go12symtab, runtime/symtab.go, pcHeader).
func (p *Program) readFunctions() error {
	table, at, err := p.functionTable()
	if err != nil {
		return err
	}
	text, err := p.textStart(table, at)
	if err != nil {
		return err
	}
	symbols, err := gosym.NewTable(nil, gosym.NewLineTable(table, text))
	if err != nil {
		return ErrNotGo
	}
	// The table of symbols keeps several times as much for as long as the process is watched.
	p.functions = make([]function, len(symbols.Funcs))
	for i, f := range symbols.Funcs {
		p.functions[i] = function{name: f.Name, start: f.Entry, end: f.End}
	}
	return nil
}

// function is a function of the program and the addresses of its code in the file.
type function struct {
	name       string
	start, end uint64
}

// Has reports whether the name of a function matches.
func (p *Program) Has(match func(name string) bool) bool {
	return slices.ContainsFunc(p.functions, func(f function) bool { return match(f.name) })
}

// NameAt returns the name of the function that holds an address of the process; empty if none does.
func (p *Program) NameAt(address uint64) string {
	address -= p.bias
	after := sort.Search(len(p.functions), func(i int) bool { return p.functions[i].start > address })
	if after == 0 || address >= p.functions[after-1].end {
		return ""
	}
	return p.functions[after-1].name
}

// Magic numbers of the function table of Go 1.20 and 1.18 (debug/gosym/pclntab.go). Behind them are
// two zeros, the quantum of instructions (1 on amd64) and the size of a pointer. Older tables have
// other fields, and programs before Go 1.17 pass arguments in other places.
var tableHeads = [][]byte{
	{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8},
	{0xf0, 0xff, 0xff, 0xff, 0, 0, 1, 8},
}

// mostFunctions bounds the number of functions in the head of a table.
const mostFunctions = 1 << 24

// functionTable returns the table and its address in the file: by the section's name or, if the
// sections' names were removed, by its head.
func (p *Program) functionTable() (table []byte, at uint64, err error) {
	for _, s := range p.file.Sections {
		if s.Name == ".gopclntab" || s.Name == ".data.rel.ro.gopclntab" {
			table, err = s.Data()
			return table, s.Addr, err
		}
	}
	for _, segment := range p.file.Progs {
		if segment.Type != elf.PT_LOAD {
			continue
		}
		data := make([]byte, segment.Filesz)
		if _, err := segment.ReadAt(data, 0); err != nil {
			continue
		}
		if i := findTable(data); i >= 0 {
			return data[i:], segment.Vaddr + uint64(i), nil
		}
	}
	return nil, 0, ErrNotGo
}

// findTable returns where in a segment a table begins; -1 if nowhere.
func findTable(data []byte) int {
	for _, head := range tableHeads {
		for from := 0; ; from++ {
			i := bytes.Index(data[from:], head)
			if i < 0 {
				break
			}
			from += i
			if from%8 == 0 && from+16 <= len(data) && binary.LittleEndian.Uint64(data[from+8:]) < mostFunctions {
				return from
			}
		}
	}
	return -1
}

// textStart returns the address of runtime.text in the file, from which the table counts. Neither
// the table (since Go 1.26) nor .text says where that is in binaries that were linked externally:
// symbols do and, without them, the runtime's module data in the memory of the process.
func (p *Program) textStart(table []byte, at uint64) (uint64, error) {
	if symbols, err := p.file.Symbols(); err == nil {
		for _, s := range symbols {
			if s.Name == "runtime.text" {
				return s.Value, nil
			}
		}
	}
	memory, err := os.Open(procFile(p.PID, "mem"))
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	bounds, ok := boundsOf(table)
	if !ok {
		return 0, ErrNotGo
	}
	header := at + p.bias
	names := header + binary.LittleEndian.Uint64(table[namesOffset:])
	for _, segment := range p.file.Progs {
		if segment.Type != elf.PT_LOAD || segment.Flags&elf.PF_W == 0 {
			continue
		}
		data := make([]byte, segment.Filesz)
		if _, err := memory.ReadAt(data, int64(segment.Vaddr+p.bias)); err != nil {
			continue
		}
		if text := findText(data, header, names, bounds); text != 0 {
			return text - p.bias, nil
		}
	}
	return 0, errors.New("where its functions begin is not known: it has no symbols, and its runtime is not laid out as that of Go 1.18 to 1.26; build it without -ldflags=-s")
}

// codeBounds are where the functions of a table begin and end, in bytes from runtime.text.
type codeBounds struct{ first, end uint64 }

// boundsOf reads the bounds from the list of functions, whose last entry is the end of the last one.
func boundsOf(table []byte) (b codeBounds, ok bool) {
	if len(table) < functionsOffset+8 {
		return b, false
	}
	n, list := binary.LittleEndian.Uint64(table[countOffset:]), binary.LittleEndian.Uint64(table[functionsOffset:])
	if n >= mostFunctions || list > uint64(len(table)) || list+n*functionLen+4 > uint64(len(table)) {
		return b, false
	}
	entry := func(i uint64) uint64 { return uint64(binary.LittleEndian.Uint32(table[list+i*functionLen:])) }
	return codeBounds{entry(0), entry(n)}, true
}

// Offsets in the function table and in the module data (runtime/symtab.go, pcHeader, moduledata).
const (
	countOffset     = 8  // pcHeader.nfunc
	namesOffset     = 32 // pcHeader.funcnameOffset
	functionsOffset = 64 // pcHeader.pclnOffset
	functionLen     = 8  // functab
	moduleNames     = 8  // moduledata.funcnametab, behind the pointer to the header
	moduleDataLen   = 256
)

// findText looks for the module data, which begins with pointers to the header of the function
// table and to the names, and returns its address of runtime.text; 0 if it is not there. Its minpc,
// maxpc and text follow one another, and are those of the table (runtime/symtab.go,
// moduledataverify1); where, differs between versions of Go.
func findText(data []byte, header, names uint64, bounds codeBounds) uint64 {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	for at := 0; at+moduleDataLen <= len(data); at += 8 {
		if word(at) != header || word(at+moduleNames) != names {
			continue
		}
		for pc := at; pc+24 <= at+moduleDataLen; pc += 8 {
			if text := word(pc + 16); text != 0 && word(pc) == text+bounds.first && word(pc+8) == text+bounds.end {
				return text
			}
		}
	}
	return 0
}
