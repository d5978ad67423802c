package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"kernel.org/pub/linux/libs/security/libcap/cap"

	"getio/internal/otheruser"
	"getio/internal/probetest"
	"getio/record"
	"getio/workload/dataset"
)

// TestCapabilitiesAreGivenUp: root's watch and advise of a process of another user keep no more capabilities than they need
// to write into that user's directories at the end.
func TestCapabilitiesAreGivenUp(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	probetest.RequireRights(t)
	otheruser.Require(t)
	t.Parallel()
	tree, err := sharedDataset("pebblev2")
	require.NoError(t, err)
	theirs := otheruser.Own(t, filepath.Join(otheruser.Dir(t), "theirs"))
	copied := filepath.Join(theirs, "copied")
	require.NoError(t, os.CopyFS(copied, os.DirFS(tree)))
	require.NoError(t, exec.Command("chown", "-R", fmt.Sprint(otheruser.ID), copied).Run())
	client := exec.Command("/proc/self/exe", "measure", copied, "--cache", "1MiB", "--gets", "2B", "--workers", "1", "--read-latency", "200us")
	client.Args[0] = "getio"
	client.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otheruser.ID, Gid: otheruser.ID}}
	require.NoError(t, client.Start())
	defer func() {
		client.Process.Kill()
		client.Wait()
	}()
	for !hasOpenTable(client.Process.Pid, filepath.Join(copied, "db")) {
		time.Sleep(time.Millisecond)
	}
	require.NoError(t, os.Remove(filepath.Join(copied, dataset.ManifestName))) // advise leaves datasets to getio
	for name, c := range map[string]struct {
		recordIn string
		kept     []cap.Value
	}{
		"root's directory": {otheruser.Dir(t), []cap.Value{cap.SYS_PTRACE, cap.DAC_READ_SEARCH}},
		"theirs":           {theirs, []cap.Value{cap.SYS_PTRACE, cap.DAC_READ_SEARCH, cap.DAC_OVERRIDE, cap.FOWNER}},
	} {
		path := filepath.Join(c.recordIn, "gets.trace")
		w := watchApart(t, &gethNode{pid: client.Process.Pid}, "--record", path)
		requireCapabilities(t, w.cmd.Process.Pid, c.kept...)
		r := w.end(t)
		require.NotNil(t, r.Trace, name)
		assert.FileExists(t, r.Trace.Path, name)
	}
	var advice record.Advice
	require.NoError(t, json.Unmarshal(outputApart(t, "advise", strconv.Itoa(client.Process.Pid), "--for", "3s", "--json"), &advice))
	assert.NotEmpty(t, advice.Caches)
	left, err := os.ReadDir(theirs)
	require.NoError(t, err)
	assert.Len(t, left, 2) // and the trace
}

// requireCapabilities requires that all threads of a process have these capabilities and no others.
func requireCapabilities(t *testing.T, pid int, kept ...cap.Value) {
	t.Helper()
	want := cap.NewSet()
	require.NoError(t, want.SetFlag(cap.Permitted, true, kept...))
	require.NoError(t, want.SetFlag(cap.Effective, true, kept...))
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	require.NoError(t, err)
	require.Greater(t, len(threads), 1)
	for _, thread := range threads {
		id, err := strconv.Atoi(filepath.Base(thread))
		require.NoError(t, err)
		has, err := cap.GetPID(id)
		require.NoError(t, err)
		assert.Equal(t, want.String(), has.String())
	}
}
