// Package goprogram finds the functions of a running Go program: their names, where they lie in
// its memory, and where a probe counts each call exactly once. It needs no symbols and no debugging
// information: every Go binary, stripped or not, carries a table of its functions (.gopclntab) for
// its own stack traces.
package goprogram

import (
	"debug/buildinfo"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Program is the Go binary that a process runs.
type Program struct {
	PID   int
	Build *buildinfo.BuildInfo // empty if the binary holds none

	file *elf.File
	// bias is what the kernel added to the addresses of the file when it loaded a
	// position-independent binary.
	bias      uint64
	functions []function // in ascending order
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
		p.Build = &buildinfo.BuildInfo{} // stripped by other tools than Go's
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
	for _, s := range p.Build.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Module returns the version of a module that the program is built with; empty if unknown.
func (p *Program) Module(path string) string {
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

// atEntry is where a program begins, among what the kernel tells it (AT_ENTRY, getauxval(3)).
const atEntry = 9

// loadBias compares where the program begins with where its file says.
func (p *Program) loadBias() (uint64, error) {
	if p.file.Type == elf.ET_EXEC {
		return 0, nil
	}
	told, err := os.ReadFile(procFile(p.PID, "auxv"))
	if err != nil {
		return 0, err
	}
	for pair := range slices.Chunk(told, 16) {
		if len(pair) == 16 && binary.LittleEndian.Uint64(pair) == atEntry {
			return binary.LittleEndian.Uint64(pair[8:]) - p.file.Entry, nil
		}
	}
	return 0, errors.New("the kernel does not tell where its binary begins")
}
