package probe

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/cilium/ebpf/btf"

	"getio/system/capability"
)

// offsets of fields in structures of the running kernel, in bytes.
type offsets struct {
	files, fdt, fd      int32 // task_struct, files_struct, fdtable
	dentry              int32 // file
	inode, name, parent int32 // dentry
	number, superblock  int32 // inode
	mode, size          int32 // inode
	// seconds and nanoseconds are those of the inode's last change of contents.
	seconds, nanoseconds int32
	device               int32 // super_block
	readBytes            int32 // task_struct
}

// kernelOffsets reads the offsets from the kernel's type information (BTF), which load loads.
func kernelOffsets(load func() (*btf.Spec, error)) (o offsets, err error) {
	spec, err := load()
	if err != nil {
		return o, noKernelTypes(err)
	}
	for _, f := range []struct {
		to    *int32
		paths string // of which the first is taken that there is
	}{
		{&o.files, "task_struct.files"}, {&o.fdt, "files_struct.fdt"}, {&o.fd, "fdtable.fd"},
		{&o.dentry, "file.f_path.dentry"},
		{&o.inode, "dentry.d_inode"}, {&o.name, "dentry.d_name.name"}, {&o.parent, "dentry.d_parent"},
		{&o.number, "inode.i_ino"}, {&o.superblock, "inode.i_sb"}, {&o.mode, "inode.i_mode"}, {&o.size, "inode.i_size"},
		{&o.device, "super_block.s_dev"},
		{&o.readBytes, "task_struct.ioac.read_bytes"},
		// Linux 6.7 and 6.11 renamed them.
		{&o.seconds, "inode.i_mtime_sec inode.__i_mtime.tv_sec inode.i_mtime.tv_sec"},
		{&o.nanoseconds, "inode.i_mtime_nsec inode.__i_mtime.tv_nsec inode.i_mtime.tv_nsec"},
	} {
		for path := range strings.FieldsSeq(f.paths) {
			if *f.to, err = offset(spec, path); err == nil {
				break
			}
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

func offset(spec *btf.Spec, path string) (sum int32, err error) {
	name, fields, _ := strings.Cut(path, ".")
	var structure *btf.Struct
	if err := spec.TypeByName(name, &structure); err != nil {
		return 0, lacks(name, err)
	}
	var t btf.Type = structure
	for _, field := range strings.Split(fields, ".") {
		at, of, ok := member(t, field)
		if !ok {
			return 0, lacks(path, btf.ErrNotFound)
		}
		sum, t = sum+at, of
	}
	return sum, nil
}

func lacks(what string, err error) error {
	return fmt.Errorf("this kernel has no %s, which watching reads: use a kernel as distributions build them (%w)", what, err)
}

// member finds a field of a structure or union, also in those within it that have no name.
func member(t btf.Type, name string) (at int32, of btf.Type, ok bool) {
	var members []btf.Member
	switch t := btf.UnderlyingType(t).(type) {
	case *btf.Struct:
		members = t.Members
	case *btf.Union:
		members = t.Members
	}
	for _, m := range members {
		if m.Name == name {
			return int32(m.Offset.Bytes()), m.Type, true
		}
		if m.Name != "" {
			continue
		}
		if at, of, ok := member(m.Type, name); ok {
			return int32(m.Offset.Bytes()) + at, of, true
		}
	}
	return 0, nil, false
}

// kernelTypes is where the kernel keeps its type information.
const kernelTypes = "/sys/kernel/btf/vmlinux"

// Available returns an error if this process may not watch others, or this kernel lacks what
// watching needs. It loads nothing.
func Available() error {
	if err := Supports(runtime.GOARCH); err != nil {
		return err
	}
	if _, err := os.Stat(kernelTypes); err != nil {
		return noKernelTypes(err)
	}
	if len(missingCapabilities()) > 0 {
		return kernelError(syscall.EPERM)
	}
	return nil
}

// missingCapabilities returns the names of the capabilities that watching needs and this process
// lacks.
func missingCapabilities() (missing []string) {
	for _, c := range []capability.Capability{capability.BPF, capability.PerfMon, capability.SysPtrace} {
		if !capability.Has(c) {
			missing = append(missing, strings.ToUpper(c.String()))
		}
	}
	return missing
}

func noKernelTypes(err error) error {
	return fmt.Errorf("the kernel has no type information (%s), which watching needs: use a kernel with CONFIG_DEBUG_INFO_BTF, as distributions build them since 2020 (%w)", kernelTypes, err)
}

// ErrNotLinux is the error of Supports on other kernels.
var ErrNotLinux = errors.New("watching a running process needs Linux: stop the process, and measure its database with 'getio measure' or 'getio advise'")

// Supports returns an error if this kernel is not Linux, or an architecture's calling convention is not known.
func Supports(architecture string) error {
	if runtime.GOOS != "linux" {
		return ErrNotLinux
	}
	if architecture != "amd64" {
		return fmt.Errorf("a running process can be watched on amd64 only, not on %s: count the reads of a program with 'getio count' there", architecture)
	}
	return nil
}
