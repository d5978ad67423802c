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
	is := func(name string) bool { return strings.HasSuffix(name, "goprogram.(*Program).Entry") }
	whole := start(t, func([]byte) {})
	found := whole.Functions(is)
	require.Len(t, found, 1)
	f := found[0]
	at, ok := whole.At(f.Start + 1)
	assert.True(t, ok)
	assert.Equal(t, f, at)
	_, ok = whole.At(1)
	assert.False(t, ok)

	offset, err := whole.Entry(f)
	require.NoError(t, err)
	text, err := os.ReadFile(whole.Path())
	require.NoError(t, err)
	assert.Equal(t, byte(0x55), text[offset], "PUSH BP")
	assert.Equal(t, []byte{0x48, 0x89, 0xe5}, text[offset+1:offset+4], "MOV BP, SP follows")

	stripped := start(t, removeSections)
	assert.Equal(t, found, stripped.Functions(is), "without sections")
	entry, err := stripped.Entry(f)
	require.NoError(t, err)
	assert.Equal(t, offset, entry)
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
