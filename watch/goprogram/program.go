// Package goprogram finds the functions of a running Go program: their names, where they lie in
// its memory, and where a probe counts each call exactly once. It needs no symbols and no debugging
// information: every Go binary, stripped or not, carries a table of its functions (.gopclntab) for
// its own stack traces.
package goprogram

import (
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Program is the Go binary that a process runs.
type Program struct {
	PID   int
	Build *buildinfo.BuildInfo // nil if the binary holds none

	file *elf.File
	// bias is what the kernel added to the addresses of the file when it loaded a
	// position-independent binary.
	bias      uint64
	functions []Function // in ascending order
}

// Function is a function of the program and the addresses of its code in the process.
type Function struct {
	Name       string
	Start, End uint64
}

// Path returns where the kernel shows the binary, even if its file was replaced or lies in another
// mount namespace.
func (p *Program) Path() string { return procFile(p.PID, "exe") }

func procFile(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }

// ErrNotGo means that a process does not run a Go program, or one whose function table was removed.
var ErrNotGo = errors.New("it is not a Go program, or its table of functions was removed: count its disk reads with 'getio count'")

// Open reads the binary of a process. It needs the right to trace the process (ptrace).
func Open(pid int) (*Program, error) {
	p := &Program{PID: pid}
	var err error
	if p.file, err = elf.Open(p.Path()); err != nil {
		return nil, p.openError(err)
	}
	if err := p.read(); err != nil {
		p.file.Close()
		if errors.Is(err, fs.ErrPermission) || !p.exists() {
			return nil, p.openError(err)
		}
		return nil, fmt.Errorf("cannot watch process %d: %w", pid, err)
	}
	return p, nil
}

func (p *Program) read() (err error) {
	if p.Build, err = buildinfo.ReadFile(p.Path()); err != nil {
		p.Build = nil // stripped by other tools than Go's
	}
	if p.bias, err = p.loadBias(); err != nil {
		return err
	}
	return p.readFunctions()
}

// Close closes the binary.
func (p *Program) Close() error { return p.file.Close() }

func (p *Program) openError(err error) error {
	var format *elf.FormatError
	switch {
	case errors.Is(err, fs.ErrNotExist) && !p.exists():
		return fmt.Errorf("there is no process %d: look its number up with ps or pidof", p.PID)
	case errors.Is(err, fs.ErrNotExist): // a thread of the kernel
		return fmt.Errorf("cannot watch process %d: %w", p.PID, ErrNotGo)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("no permission to look into process %d: run getio as root on the host, or with CAP_SYS_PTRACE (and CAP_DAC_READ_SEARCH if the process belongs to another user)", p.PID)
	case errors.As(err, &format):
		return fmt.Errorf("cannot watch process %d: %w", p.PID, ErrNotGo)
	}
	return fmt.Errorf("cannot read the binary of process %d: %w", p.PID, err)
}

func (p *Program) exists() bool {
	_, err := os.Stat(procFile(p.PID, ""))
	return err == nil
}

// Setting returns a setting of the build, such as "-pgo"; empty if it is unknown.
func (p *Program) Setting(key string) string {
	if p.Build == nil {
		return ""
	}
	for _, s := range p.Build.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Module returns the version of a module that the program is built with; empty if unknown.
func (p *Program) Module(path string) string {
	if p.Build == nil {
		return ""
	}
	for _, m := range p.Build.Deps {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			return m.Replace.Version
		}
		return m.Version
	}
	return ""
}

// loadBias compares the place of the binary's first mapping with the one that its file names.
func (p *Program) loadBias() (uint64, error) {
	if p.file.Type == elf.ET_EXEC {
		return 0, nil
	}
	exe, err := os.Stat(p.Path())
	if err != nil {
		return 0, err
	}
	maps, err := os.ReadFile(procFile(p.PID, "maps"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(maps)) {
		m, ok := parseMapping(line)
		if !ok || m.inode != inode(exe) {
			continue
		}
		for _, segment := range p.file.Progs {
			if segment.Type == elf.PT_LOAD && segment.Off&^pageMask == m.offset {
				return m.start - segment.Vaddr&^pageMask, nil
			}
		}
	}
	return 0, errors.New("its binary is not mapped into its memory")
}
