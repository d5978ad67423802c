package watch

import (
	"fmt"

	"kernel.org/pub/linux/libs/security/libcap/cap"

	"getio/system/capability"
	"getio/system/machine"
)

// giveUpCapabilities gives up what this process does not need while it counts: it goes on looking at the process and at
// its files. Programs are attached again if counting is intermittent. What was recorded gets its name at the end, and
// advice makes a copy of the database then.
func (w *Watch) giveUpCapabilities(attachAgain bool) error {
	kept := append(capability.ToChange(w.changed...), cap.SYS_PTRACE, cap.DAC_READ_SEARCH, cap.BPF, cap.PERFMON)
	if attachAgain && before66() {
		kept = append(kept, cap.SYS_ADMIN)
	}
	if err := capability.Keep(kept...); err != nil || attachAgain {
		return err
	}
	// Linux before 5.19 asks for CAP_BPF to read what its programs have counted.
	return capability.GiveUp(func() error {
		_, err := w.probe.Replaced()
		return err
	}, cap.BPF, cap.PERFMON)
}

// before66 reports whether the kernel asks for CAP_SYS_ADMIN to attach programs to functions.
func before66() bool {
	var major, minor int
	_, err := fmt.Sscanf(machine.Kernel(), "%d.%d", &major, &minor)
	return err == nil && (major < 6 || major == 6 && minor < 6)
}
