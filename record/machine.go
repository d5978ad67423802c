package record

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ThisMachine returns the environment of this process.
func ThisMachine() Environment {
	e := Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		CPU: procField("/proc/cpuinfo", "model name"),
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		e.Getio = info.Main.Version
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		e.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	e.MemoryMiB = memory("MemTotal") >> 20
	return e
}

// AvailableMemory returns the bytes of memory that processes can still take; 0 if unknown.
func AvailableMemory() int64 { return memory("MemAvailable") }

// memory returns a figure of /proc/meminfo in bytes; 0 if unknown.
func memory(name string) int64 {
	kb, _, _ := strings.Cut(procField("/proc/meminfo", name), " ")
	n, err := strconv.ParseInt(kb, 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// procField returns the first value of a name in a file of "name: value" lines.
func procField(path, name string) string {
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
