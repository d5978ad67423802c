package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scaledDown are the sizes of the README's commands, and what they become in
// the test.
var scaledDown = strings.NewReplacer(
	"--keys 10M", "--keys 40k --option target_file_size=128KiB --option lbase_max_bytes=256KiB",
	"-T 10000000", "-T 40000",
	"-r 4000000", "-r 40000",
	"chain measure data/chain", "chain measure data/chain --ops 200 --warmup 200 --cache 1MiB",
	"--accounts 1M --blocks 20k --age 2000", "--accounts 2k --blocks 300 --age 50 --txs 10",
	"l0 data/leveldb", "l0 data/leveldb --tables 3 --table-size 64KiB --ops 20 --warmup 20",
	"sweep ", "sweep --gets 20k --warmup 20k --cache 1MiB,4MiB ",
	"measure ", "measure --gets 40k --warmup 20k ",
	"--cache 0.2%", "--cache 20%",
	"/path/to/chaindata", "existing",
	"curve ", "curve --gets 20k --warmup 20k ",
	"--keys 5B", "--keys 5M",
	"reproduce small", "reproduce small --gets 2000 --cache 45MiB",
)

// TestReadmeCommands runs every command that the README shows, but for the two
// that set everything up.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"getio", benchName} {
		build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", name), ".")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run := func(command string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", scaledDown.Replace(command))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		if len(out) == 0 {
			t.Errorf("%s printed nothing", command)
		}
	}
	// A database that getio did not write is one without its manifest.
	run("bin/getio load made --engine pebblev2 --keys 10M")
	if err := os.Rename(filepath.Join(dir, "made", "db"), filepath.Join(dir, "existing")); err != nil {
		t.Fatal(err)
	}
	published, err := sharedPublished()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "reproduce"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(published, filepath.Join(dir, "reproduce", "small")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(readme), "@@") {
		t.Error("the README has a place that was not filled in")
	}
	ran := 0
	for _, block := range strings.Split(string(readme), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, line := range strings.Split(strings.TrimSpace(block), "\n") {
			command, _, _ := strings.Cut(line, " #")
			if strings.HasPrefix(command, "make ") {
				continue
			}
			run(command)
			ran++
		}
	}
	if ran < 8 {
		t.Errorf("only %d commands were found in the README", ran)
	}
}
