//go:build linux

package filecalls_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/internal/filecalls"
)

// executorEnv makes the test binary an executor.
const executorEnv = "GETIO_FILECALLS_EXECUTOR"

func TestMain(m *testing.M) {
	if os.Getenv(executorEnv) != "" {
		fmt.Fprintln(os.Stderr, filecalls.Exec(os.Args[1:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// run runs a program that an answer is given for.
func run(t *testing.T, kinds []filecalls.Kind, answer func(*filecalls.Call) filecalls.Answer, program string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), executorEnv+"=1", "LC_ALL=C")
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err = filecalls.Run(os.Args[0], cmd, kinds, answer)
	return both.String(), err
}

// TestAnswers has cat read a file whose reads pass, fail, and are done otherwise.
func TestAnswers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, []byte("contents"), 0o644))
	for _, c := range []struct {
		name   string
		answer func(*filecalls.Call) filecalls.Answer
		says   string
		fails  bool
	}{
		{"pass", func(*filecalls.Call) filecalls.Answer { return filecalls.Answer{} }, "contents", false},
		{"fail", func(*filecalls.Call) filecalls.Answer { return filecalls.Answer{Error: unix.EIO} }, "/bin/cat: " + file + ": Input/output error\n", true},
		{"end", func(*filecalls.Call) filecalls.Answer { return filecalls.Answer{Done: true} }, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			out, err := run(t, []filecalls.Kind{filecalls.Read}, func(call *filecalls.Call) filecalls.Answer {
				if call.Path != file {
					return filecalls.Answer{}
				}
				calls++
				return c.answer(call)
			}, "/bin/cat", file)
			assert.Equal(t, c.says, out)
			assert.Equal(t, c.fails, err != nil, "%v", err)
			assert.Positive(t, calls)
		})
	}
}

// TestCalls checks what a call says of itself, however it names the file, and that its data can be replaced.
func TestCalls(t *testing.T) {
	for name, script := range map[string]string{"relative": "cd DIR && echo new >> f", "held": "exec 9< DIR && echo new >> /proc/self/fd/9/f"} {
		t.Run(name, func(t *testing.T) { testCalls(t, script) })
	}
}

func testCalls(t *testing.T, script string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, []byte("old\n"), 0o644))
	var opened, wrote bool
	_, err := run(t, filecalls.Kinds(), func(c *filecalls.Call) filecalls.Answer {
		switch {
		case c.Path != file:
		case c.Kind == filecalls.Create:
			assert.False(t, c.Truncates() || c.Exclusive())
			opened = true
		case c.Kind == filecalls.Write:
			data, err := c.Data()
			assert.NoError(t, err)
			_, atEnd, err := c.Offset()
			assert.NoError(t, err)
			assert.True(t, atEnd, "it appends")
			fi, err := c.Stat()
			assert.NoError(t, err)
			assert.Equal(t, "new\n", string(data))
			assert.EqualValues(t, 4, fi.Size())
			assert.NoError(t, c.SetData([]byte("NEW\n")))
			wrote = true
		}
		return filecalls.Answer{}
	}, "/bin/sh", "-c", strings.ReplaceAll(script, "DIR", dir))
	require.NoError(t, err)
	assert.True(t, opened && wrote)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "old\nNEW\n", string(text))
}

// TestKilled checks that Run returns when the program is killed at a call.
func TestKilled(t *testing.T) {
	cmd := exec.Command("/bin/cat", "/dev/null")
	cmd.Env = append(os.Environ(), executorEnv+"=1")
	err := filecalls.Run(os.Args[0], cmd, []filecalls.Kind{filecalls.Open}, func(*filecalls.Call) filecalls.Answer {
		assert.NoError(t, cmd.Process.Kill())
		return filecalls.Answer{}
	})
	var exit *exec.ExitError
	assert.True(t, errors.As(err, &exit), "%v", err)
}
