package watch

import (
	"fmt"

	"getio/system/capability"
	"getio/system/machine"
)

// giveUpCapabilities gives up the capabilities that counting does not need. It needs those to read the process's state and
// files, those to attach programs again if counting is intermittent, and those to name a trace, or to copy the database for
// advice, at the end.
func (w *Watch) giveUpCapabilities(attachAgain bool) error {
	kept := append(capability.ToChange(w.changed...), capability.SysPtrace, capability.DACReadSearch, capability.BPF, capability.PerfMon)
	if attachAgain && before66() {
		kept = append(kept, capability.SysAdmin)
	}
	if err := capability.Keep(kept...); err != nil || attachAgain {
		return err
	}
	// Linux before 5.19 asks for CAP_BPF to read what its programs have counted.
	return capability.GiveUp(func() error {
		_, err := w.probe.Replaced()
		return err
	}, capability.BPF, capability.PerfMon)
}

// before66 reports whether the kernel asks for CAP_SYS_ADMIN to attach programs to functions.
func before66() bool {
	var major, minor int
	_, err := fmt.Sscanf(machine.Kernel(), "%d.%d", &major, &minor)
	return err == nil && (major < 6 || major == 6 && minor < 6)
}
