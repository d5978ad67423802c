package machine

import "golang.org/x/sys/unix"

// CPU returns the name of the processor's model; empty if unknown.
func CPU() string {
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return ""
	}
	return name
}

// Memory returns the bytes of memory; 0 if unknown.
func Memory() int64 {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(bytes)
}

// AvailableMemory returns 0: macOS does not tell how much memory processes can still take.
func AvailableMemory() int64 { return 0 }
