package record

import (
	"runtime"
	"runtime/debug"

	"getio/system/machine"
)

// ThisMachine returns the environment of this process.
func ThisMachine() Environment {
	e := Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		CPU: machine.CPU(), Kernel: machine.Kernel(), MemoryMiB: machine.Memory() >> 20,
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		e.Getio = info.Main.Version
	}
	return e
}
