//go:build !linux

package probe

import "github.com/cilium/ebpf"

func filtersProcesses(*ebpf.Program) bool { return false }
