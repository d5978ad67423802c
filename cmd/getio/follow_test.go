package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scriptOccupy listens on a free port for the rest of the script, and names it in
// an environment variable.
func scriptOccupy(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], l.Addr().String())
}

// TestMetricsWhileASweepRuns asks a sweep for its metrics, interrupts it and finds the port closed.
func TestMetricsWhileASweepRuns(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the libraries too slow for this")
	}
	dir, err := sharedDataset("pebblev1")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), momentLimit)
	defer cancel()
	out := filepath.Join(t.TempDir(), "s.jsonl")
	cmd := exec.CommandContext(ctx, "getio", "sweep", dir, "--cache", "1MiB", "--gets", "2B", "--warmup", "1000", "--metrics-addr", ":0", "--out", out)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() {
		t.Fatalf("nothing on standard error: %v", lines.Err())
	}
	url, ok := strings.CutPrefix(lines.Text(), "Metrics: ")
	root, isMetrics := strings.CutSuffix(url, "/metrics")
	if !ok || !isMetrics || !strings.HasPrefix(root, "http://127.0.0.1:") {
		t.Fatalf("standard error begins with %q", lines.Text())
	}
	counting := regexp.MustCompile(`(?m)^getio_gets_total\{cache_bytes="1048576",phase="measure"\} [1-9]`)
	for !counting.MatchString(fetch(ctx, t, url)) {
	}
	for path, want := range map[string]string{
		"/metrics":    `getio_run_info{cache_bytes="1048576",dataset="` + dir + `",dataset_kind="natural",engine="pebblev1"`,
		"/debug/vars": `"cmdline"`, "/debug/pprof/": "goroutine",
	} {
		assert.Contains(t, fetch(ctx, t, root+path), want, path)
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var last string
	for lines.Scan() {
		last = lines.Text()
	}
	assert.Error(t, cmd.Wait())
	assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
	assert.True(t, strings.HasPrefix(last, "getio: interrupted: "), "standard error ends with %q", last)
	if c, err := net.DialTimeout("tcp", strings.TrimPrefix(root, "http://"), time.Minute); err == nil {
		c.Close()
		t.Error("the port is open after the end")
	}
	assert.NoFileExists(t, out, "there is a record of an interrupted size")
}

func fetch(ctx context.Context, t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	return string(text)
}
