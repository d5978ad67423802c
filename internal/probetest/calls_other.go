//go:build !linux

package probetest

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

func contained(t testing.TB) *syscall.SysProcAttr {
	t.Skip("namespaces need Linux")
	return nil
}

func withMounts(t testing.TB) *syscall.SysProcAttr { return contained(t) }

func willNeed(*os.File, int64) error { return errors.ErrUnsupported }

func sleep(d time.Duration) { time.Sleep(d) }
