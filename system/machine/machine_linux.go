package machine

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// CPU returns the name of the processor's model; empty if unknown.
func CPU() string { return field("/proc/cpuinfo", "model name") }

// Memory returns the bytes of memory; 0 if unknown.
func Memory() int64 { return memory("MemTotal") }

// AvailableMemory returns the bytes of memory that processes can still take; 0 if unknown.
func AvailableMemory() int64 { return memory("MemAvailable") }

// memory returns a figure of /proc/meminfo in bytes; 0 if unknown.
func memory(name string) int64 {
	kb, _, _ := strings.Cut(field("/proc/meminfo", name), " ")
	n, err := strconv.ParseInt(kb, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// field returns the first value of a name in a file of "name: value" lines.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
