package goprogram

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain waits for the end of its input if it was started to be looked at.
func TestMain(m *testing.M) {
	if os.Getenv("GETIO_LOOKED_AT") != "" {
		fmt.Println("ready")
		io.ReadAll(os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start starts a copy of this test's binary, changed.
func start(t *testing.T, change func(binary []byte)) *Program {
	t.Helper()
	text, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	change(text)
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, text, 0o700))
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), "GETIO_LOOKED_AT=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	_, err = out.Read(make([]byte, 8)) // the runtime has begun
	require.NoError(t, err)
	p, err := Open(cmd.Process.Pid)
	require.NoError(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// removeSections removes the names of all sections, and with them the symbols.
func removeSections(text []byte) {
	const shoff, shnum, shstrndx = 40, 60, 62 // (elf.h, Elf64_Ehdr)
	binary.LittleEndian.PutUint64(text[shoff:], 0)
	binary.LittleEndian.PutUint16(text[shnum:], 0)
	binary.LittleEndian.PutUint16(text[shstrndx:], 0)
}

func TestFunctions(t *testing.T) {
	is := func(name string) bool { return strings.HasSuffix(name, "goprogram.(*Program).Entries") }
	whole := start(t, func([]byte) {})
	found, err := whole.Entries(is)
	require.NoError(t, err)
	require.Len(t, found, 1)
	f, offset := found[0], found[0].Offset
	assert.True(t, is(whole.NameAt(f.Start+1)))
	assert.Empty(t, whole.NameAt(1))

	text, err := os.ReadFile(whole.Path())
	require.NoError(t, err)
	assert.Equal(t, byte(0x55), text[offset], "PUSH BP")
	assert.Equal(t, []byte{0x48, 0x89, 0xe5}, text[offset+1:offset+4], "MOV BP, SP follows")

	stripped := start(t, removeSections)
	entries, err := stripped.Entries(is)
	require.NoError(t, err)
	assert.Equal(t, found, entries, "without sections")
}

func TestFindTable(t *testing.T) {
	head := append(bytes.Clone(tableHeads[0]), make([]byte, 64)...)
	assert.Equal(t, 0, findTable(head))
	assert.Equal(t, 16, findTable(append(make([]byte, 16), head...)))
	assert.Equal(t, -1, findTable(append(make([]byte, 4), head...)), "not aligned")
	assert.Equal(t, -1, findTable(head[:12]), "cut short")
	many := bytes.Clone(head)
	binary.LittleEndian.PutUint64(many[8:], mostFunctions)
	assert.Equal(t, -1, findTable(many), "too many functions")
}

// moduleData returns a module data with minpc at a place, and the bounds of its functions.
func moduleData(minPC int) ([]byte, codeBounds) {
	data := make([]byte, 1024)
	for at, word := range map[int]uint64{
		64: 0x700000, 72: 0x700060, // header and names
		64 + minPC: 0x401000, 64 + minPC + 8: 0x500000, 64 + minPC + 16: 0x400f00,
		64 + minPC + 24: 0x500000, // etext
	} {
		binary.LittleEndian.PutUint64(data[at:], word)
	}
	return data, codeBounds{first: 0x100, end: 0xff100}
}

// TestFindText: Go versions have minpc at different places of the module data. What does not fit the table is not taken.
func TestFindText(t *testing.T) {
	for _, minPC := range []int{152, 160, 168} {
		data, bounds := moduleData(minPC)
		assert.Equal(t, uint64(0x400f00), findText(data, 0x700000, 0x700060, bounds), "minpc at %d", minPC)
		assert.Zero(t, findText(data, 0x700008, 0x700060, bounds), "another header")
		bounds.end++
		assert.Zero(t, findText(data, 0x700000, 0x700060, bounds), "another table")
	}
}

// TestEntryNeedsWholeFrame: a byte of PUSH BP alone is no place for a probe.
func TestEntryNeedsWholeFrame(t *testing.T) {
	assert.True(t, setsFrame([]byte{0x48, 0x89, 0xe5, 0x90}))
	for _, code := range [][]byte{nil, {0x48}, {0x90}, {0x48, 0x89, 0xe3}, {0x48, 0x83, 0xec, 0x10}} {
		assert.False(t, setsFrame(code), "% x", code)
	}
}

// TestExternallyLinked: .text begins with code of C, before runtime.text, and there are no symbols.
func TestExternallyLinked(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(source, []byte("package main\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() {\n\tprintln(\"ready\")\n\tio.ReadAll(os.Stdin)\n}\n"), 0o600))
	out, err := exec.Command("go", "build", "-ldflags=-s -w -linkmode=external", "-o", program, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.Command(program)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	ready, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	_, err = ready.Read(make([]byte, 8)) // the runtime has begun
	require.NoError(t, err)
	p, err := Open(cmd.Process.Pid)
	require.NoError(t, err)
	defer p.Close()
	readAll, err := p.Entries(func(name string) bool { return name == "io.ReadAll" })
	assert.NoError(t, err)
	require.Len(t, readAll, 1)
	table, at, err := p.functionTable()
	require.NoError(t, err)
	_, err = p.textStart(table, at+8)
	assert.ErrorContains(t, err, "where its functions begin is not known")
}

func TestOpenRefuses(t *testing.T) {
	_, err := Open(1 << 22)
	assert.ErrorContains(t, err, "there is no process 4194304")
	cat := exec.Command("cat")
	in, err := cat.StdinPipe()
	require.NoError(t, err)
	out, err := cat.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cat.Start())
	defer cat.Wait()
	defer in.Close()
	// Start may return before the kernel has mapped the program. Once cat answers, it has.
	_, err = in.Write([]byte("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)
	_, err = Open(cat.Process.Pid)
	assert.ErrorIs(t, err, ErrNotGo)
	assert.ErrorContains(t, err, "count its disk reads with 'getio count'")
}
