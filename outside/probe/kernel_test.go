package probe

import (
	"io/fs"
	"testing"

	"github.com/cilium/ebpf/btf"
	"github.com/stretchr/testify/assert"
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
