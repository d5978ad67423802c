package capability

import (
	"fmt"
	"slices"

	"kernel.org/pub/linux/libs/security/libcap/cap"
)

// String returns the name in lower case, such as cap_bpf.
func (c Capability) String() string { return cap.Value(c).String() }

// Has reports whether this process has a capability. Root in a container usually lacks some.
func Has(c Capability) bool {
	has, err := cap.GetProc().GetFlag(cap.Effective, cap.Value(c))
	return err == nil && has
}

// Keep gives up all capabilities but these, for good, and gains none of them. Programs that this process starts cannot have
// more, unless it lacks CAP_SETPCAP.
func Keep(kept ...Capability) error {
	var others []cap.Value
	for c := range cap.MaxBits() {
		if !slices.Contains(kept, Capability(c)) {
			others = append(others, c)
		}
	}
	if Has(SetPCap) {
		if err := cap.DropBound(others...); err != nil {
			return fmt.Errorf("cannot take capabilities from programs that getio starts: %w", err)
		}
	}
	return lower(others, cap.Effective, cap.Permitted, cap.Inheritable)
}

// GiveUp gives up some more, unless works fails without them.
func GiveUp(works func() error, capabilities ...Capability) error {
	var given []cap.Value
	for _, c := range capabilities {
		given = append(given, cap.Value(c))
	}
	before := cap.GetProc()
	if err := lower(given, cap.Effective); err != nil {
		return err
	}
	if works() != nil {
		return before.SetProc()
	}
	return lower(given, cap.Permitted, cap.Inheritable)
}

func lower(given []cap.Value, from ...cap.Flag) error {
	set := cap.GetProc()
	for _, flag := range from {
		if err := set.SetFlag(flag, false, given...); err != nil {
			return err
		}
	}
	if err := set.SetProc(); err != nil {
		return fmt.Errorf("cannot give up capabilities: %w", err)
	}
	return nil
}
