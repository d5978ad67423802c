package capability

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"kernel.org/pub/linux/libs/security/libcap/cap"

	"getio/internal/otheruser"
)

// lowersEnv has the test binary lower its own capabilities, which it cannot raise again, and print them.
const lowersEnv = "GETIO_TEST_LOWERS"

func TestMain(m *testing.M) {
	if os.Getenv(lowersEnv) == "" {
		os.Exit(m.Run())
	}
	child := func() error {
		out, err := exec.Command("grep", "CapPrm", "/proc/self/status").Output()
		fmt.Printf("%s, child %s", cap.GetProc(), out)
		return err
	}
	fails := func() error { return errors.New("it is needed") }
	works := func() error { return nil }
	if err := errors.Join(
		Keep(SysPtrace, BPF), child(),
		Keep(SysPtrace, BPF, Capability(cap.CHOWN)), child(),
		GiveUp(fails, BPF), child(),
		GiveUp(works, BPF), child(),
	); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// TestLower: what was given up does not come back, and what is needed stays.
func TestLower(t *testing.T) {
	otheruser.Require(t)
	if !Has(SetPCap) || !Has(BPF) {
		t.Skip("root lacks capabilities here")
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), lowersEnv+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	const two = "cap_sys_ptrace,cap_bpf=ep, child CapPrm:\t0000008000080000\n"
	assert.Equal(t, two+two+two+"cap_sys_ptrace=ep, child CapPrm:\t0000008000080000\n", string(out))
}

func TestNumbers(t *testing.T) {
	for c, want := range map[Capability]cap.Value{
		DACOverride: cap.DAC_OVERRIDE, DACReadSearch: cap.DAC_READ_SEARCH, FOwner: cap.FOWNER, SetPCap: cap.SETPCAP,
		SysPtrace: cap.SYS_PTRACE, SysAdmin: cap.SYS_ADMIN, PerfMon: cap.PERFMON, BPF: cap.BPF,
	} {
		assert.Equal(t, want, cap.Value(c))
		assert.Equal(t, want.String(), c.String())
	}
}

func TestToChange(t *testing.T) {
	otheruser.Require(t)
	roots := otheruser.Dir(t)
	theirs := otheruser.Own(t, filepath.Join(roots, "theirs"))
	needed := []Capability{DACOverride, FOwner}
	assert.Empty(t, ToChange())
	assert.Empty(t, ToChange(roots, theirs+"/.."))
	assert.Equal(t, needed, ToChange(roots, theirs))
	require.NoError(t, os.Chmod(roots, 0o555))
	assert.Equal(t, needed, ToChange(roots))
}
