package probe

import (
	"bytes"
	"fmt"
	"io/fs"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestSupports(t *testing.T) {
	assert.NoError(t, Supports("amd64"))
	assert.EqualError(t, Supports("arm64"),
		"a running process can be watched on amd64 only, not on arm64: count the reads of a program with 'getio count' there")
}

func TestKernelWithoutTypes(t *testing.T) {
	_, err := kernelOffsets(func() (*btf.Spec, error) { return nil, fs.ErrNotExist })
	assert.ErrorContains(t, err, "the kernel has no type information (/sys/kernel/btf/vmlinux)")
	assert.ErrorContains(t, err, "use a kernel with CONFIG_DEBUG_INFO_BTF")
}

func TestKernelThatLacksFields(t *testing.T) {
	for _, present := range [][]btf.Type{nil, {&btf.Struct{Name: "task_struct"}}} {
		b, err := btf.NewBuilder(present, nil)
		require.NoError(t, err)
		raw, err := b.Marshal(nil, nil)
		require.NoError(t, err)
		spec, err := btf.LoadSpecFromReader(bytes.NewReader(raw))
		require.NoError(t, err)
		_, err = kernelOffsets(func() (*btf.Spec, error) { return spec, nil })
		assert.ErrorContains(t, err, "this kernel has no task_struct")
		assert.ErrorContains(t, err, ", which watching reads: use a kernel as distributions build them (")
	}
}

func TestKernelError(t *testing.T) {
	for text, err := range map[string]error{
		"run getio as root on the host, or with the capabilities CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE": fmt.Errorf("load: %w", unix.EPERM),
		"this kernel is too old to watch processes: use Linux 5.8 or newer (load: not supported)":         fmt.Errorf("load: %w", ebpf.ErrNotSupported),
	} {
		assert.ErrorContains(t, kernelError(err), text)
	}
	assert.Equal(t, fs.ErrClosed, kernelError(fs.ErrClosed))
}

// TestFiltersProcesses: kernels since 6.10 can limit a link of many probes to a process.
func TestFiltersProcesses(t *testing.T) {
	var name unix.Utsname
	require.NoError(t, unix.Uname(&name))
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor); err != nil || major < 6 || major == 6 && minor < 10 {
		t.Skipf("this is Linux %d.%d", major, minor)
	}
	code := &assembler{}
	code.add(asm.Mov.Imm(asm.R0, 0), asm.Return())
	e, err := loadEntry("getio_test", code, 0)
	if err != nil {
		t.Skip(err) // without the rights
	}
	defer e.program.Close()
	assert.True(t, e.multi)
}
