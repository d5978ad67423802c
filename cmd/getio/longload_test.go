package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

// longLoadEnv is how long each measurement of TestLongLoad would take alone, such as 1h.
const longLoadEnv = "GETIO_LOAD_FOR"

// longSamples is how often each measurement is looked at in that time.
const longSamples = 400

// TestLongLoad measures a virtual database with 64 workers, and beside it one that is updated meanwhile. Neither
// process takes more memory or descriptors in the last quarter of its time than in the second one, and the
// self-checks of both hold.
func TestLongLoad(t *testing.T) {
	if os.Getenv(longLoadEnv) == "" {
		t.Skipf("%s=1h makes Gets for an hour or two", longLoadEnv)
	}
	lasting, err := time.ParseDuration(os.Getenv(longLoadEnv))
	require.NoError(t, err)
	dir := t.TempDir()
	virtual, updated := filepath.Join(dir, "virtual"), filepath.Join(dir, "updated")
	require.NoError(t, getio("load", virtual, "--engine", "pebblev2", "--keys", "100M", "--virtual"))
	// Few keys and a small memtable: both the tree and the memtables reach their full size before the second quarter.
	require.NoError(t, getio("load", updated, "--engine", "pebblev2", "--keys", "100k", "--option", "memtable_size=1MiB"))
	runs := []*longRun{
		newLongRun(t, lasting, "measure", virtual, "--json", "--workers", "64", "--cache", "0.5%"),
		newLongRun(t, lasting, "measure", updated, "--json", "--workers", "2", "--cache", "2MiB", "--update-rate", "5k"),
	}
	for _, r := range runs {
		r.start(t)
	}
	for running := true; running; time.Sleep(lasting / longSamples) {
		running = false
		for _, r := range runs {
			running = r.sampled(t) || running
		}
	}
	for _, r := range runs {
		r.requireFlat(t)
	}
}

// longRun is a measurement in another process, and what it took.
type longRun struct {
	cmd         *exec.Cmd
	out, errs   bytes.Buffer
	ended       chan error
	memory      []float64 // resident bytes
	descriptors []float64
}

// newLongRun prepares a measurement of as many Gets as take a time, by the rate of a short one.
func newLongRun(t *testing.T, lasting time.Duration, args ...string) *longRun {
	t.Helper()
	short := recordsOf(t, append(args, "--gets", "200k")...).Results[0]
	gets := int64(lasting.Seconds() * short.GetsPerSecond)
	return &longRun{cmd: exec.Command("getio", append(args, "--gets", strconv.FormatInt(gets, 10))...), ended: make(chan error, 1)}
}

func (r *longRun) start(t *testing.T) {
	t.Helper()
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.errs
	require.NoError(t, r.cmd.Start())
	t.Cleanup(func() { r.cmd.Process.Kill() })
	go func() { r.ended <- r.cmd.Wait() }()
}

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// sampled looks at the process, and returns false once it has ended.
func (r *longRun) sampled(t *testing.T) bool {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", r.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "status")
	resident := residentLine.FindSubmatch(status)
	if err != nil || resident == nil {
		return false
	}
	kib, err := strconv.ParseFloat(string(resident[1]), 64)
	require.NoError(t, err)
	open, err := os.ReadDir(proc + "fd")
	if err != nil {
		return false
	}
	r.memory = append(r.memory, 1024*kib)
	r.descriptors = append(r.descriptors, float64(len(open)))
	return true
}

// requireFlat compares the last quarter of the samples with the second one.
func (r *longRun) requireFlat(t *testing.T) {
	t.Helper()
	require.NoError(t, <-r.ended, "%s", &r.errs)
	var records record.Set
	require.NoError(t, records.Read("", &r.out))
	require.Len(t, records.Results, 1)
	assert.NoError(t, records.Results[0].Checks.Err())
	command := strings.Join(r.cmd.Args, " ")
	for what, samples := range map[string][]float64{"resident bytes": r.memory, "descriptors": r.descriptors} {
		n := len(samples)
		require.GreaterOrEqual(t, n, longSamples/4, command)
		early, late := mean(samples[n/4:n/2]), mean(samples[3*n/4:])
		t.Logf("%s: %s: %.0f in the second quarter, %.0f in the last one (%+.1f%%)", command, what, early, late, 100*(late/early-1))
		// The garbage collector's timing moves resident memory by some percent.
		assert.LessOrEqual(t, late, 1.1*early, "%s: %s", command, what)
	}
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}
