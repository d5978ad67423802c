//go:build !linux

package main

import (
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func canMount() bool { return false }

func scriptTmpfs(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("tmpfs needs Linux") }

func scriptReadOnly(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("readonly needs Linux") }

func ownMounts() *syscall.SysProcAttr { return nil }

func newNames(t *testing.T, _ string) func() []string {
	t.Skip("watching a directory needs Linux")
	return nil
}
