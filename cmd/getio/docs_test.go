package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/engine/rocksdb"
	"getio/internal/probetest"
)

// scaledDown are the sizes of the commands in the documents, and what they become in the test.
var scaledDown = strings.NewReplacer(
	"--keys 10M --values random --option format=13", "--keys 40k --values random --option format=13 --option target_file_size=128KiB --option lbase_max_bytes=256KiB",
	"--engine rocksdb --keys 10M", "--engine rocksdb --keys 40k --option write_buffer_size=512KiB --option target_file_size_base=128KiB",
	"--keys 10M", "--keys 40k --option target_file_size=128KiB --option lbase_max_bytes=256KiB",
	"-T 10000000", "-T 40000",
	"-r 4000000", "-r 40000",
	"chain measure data/chain", "chain measure data/chain --ops 200 --warmup 200 --cache 1MiB",
	"--accounts 1M --blocks 20k --age 2000", "--accounts 2k --blocks 300 --age 50 --txs 10",
	"l0 data/leveldb", "l0 data/leveldb --bloom on --cache 512KiB --tables 3 --table-size 64KiB --ops 20 --warmup 20",
	"bin/getio watch geth --for 10m", besideClient("bin/getio watch $client --for 500ms"),
	"bin/getio advise geth --for 10m", besideClient("for time in 1s 10s 60s; do bin/getio advise $client --for $time && break; done"),
	"bin/getio watch geth --for 1h --record geth.trace.gz --sample 1/16", besideClient("for time in 500ms 10s 60s; do bin/getio watch $client --for $time --record geth.trace.gz --sample 1/2 && break; done"),
	"--rate 2k --gets 10k", "--rate 10k --gets 10k",
	":9100", ":0",
	"compare-state --keys 1M", "compare-state --keys 1000 --lookups 50 --engines pebblev2,goleveldb",
	"compare data/v13", "compare --gets 5k --warmup 5k --rounds 2 --cache 1MiB data/v13", "--cache 0.5%", "--cache 20%",
	"compare pebble-v1-v2", "compare pebble-v1-v2 --keys 40k --gets 2k --warmup 2k --rounds 2 --cache 1MiB",
	"compare block-size --cache 1%", "compare block-size --keys 40k --gets 2k --warmup 2k --rounds 2 --cache 1MiB",
	"sweep data/ci --cache 2MiB,6MiB --workers 1 --gets 400k", "sweep data/ci --cache 2MiB,6MiB --workers 1 --gets 100k",
	"sweep ", "sweep --gets 5k --warmup 5k --cache 1MiB,4MiB ",
	"measure /path/to/chaindata --cache 0.2% --multiget 16", "measure existing --cache 20% --multiget 16 --gets 500 --warmup 500",
	"measure ", "measure --gets 5k --warmup 2k ",
	"predict --shape v13.json --cache 0.2%,0.5%,1%", "predict --shape v13.json --gets 5k --cache 1MiB,2MiB",
	"--cache 0.2%", "--cache 20%",
	"advise /path/to/chaindata --trace", "advise existing --trace",
	"advise /path/to/chaindata", "advise --gets 2k existing",
	"/path/to/chaindata", "existing",
	"curve /path/to/chaindata --trace", "curve existing --trace",
	"curve ", "curve --gets 5k --warmup 5k ",
	"--keys 5B", "--keys 5M",
	"reproduce small", "reproduce small --gets 500 --cache 45MiB",
	"go test ./engine/goleveldb -run TestConformance", "go test ./engine/goleveldb -run TestConformance/recognise",
)

// besideClient runs a command while a program has a database open and makes Gets: getio itself, in
// place of a client.
func besideClient(command string) string {
	return "bin/getio measure existing --cache 20% --gets 100M --warmup 2k --rate 2k >client.txt 2>&1 & client=$!; " +
		"until ls -l /proc/$client/fd | grep -q LOCK; do sleep 0.05; done; " +
		command + "; status=$?; kill -INT $client; wait $client; exit $status"
}

// TestCommandsOfDocuments runs every command that the README, the quickstart, the guide and ci.md
// show, except `make`, in this order in one directory. A command that several of them show
// runs once.
func TestCommandsOfDocuments(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir, ran := workplace(t), map[string]bool{}
	for _, d := range []struct {
		document string
		least    int // commands
	}{{"README.md", 7}, {"docs/quickstart.md", 10}, {"docs/guide.md", 70}, {"docs/ci.md", 4}} {
		text, err := os.ReadFile(filepath.Join(root, d.document))
		require.NoError(t, err)
		shown := 0
		for _, command := range commandsOf(string(text)) {
			if shown++; ran[command] {
				continue
			}
			ran[command] = true
			in := dir
			if strings.HasPrefix(command, "go ") {
				in = root
			}
			if out := runCommand(t, in, command); out == "" && !strings.Contains(command, " > ") {
				t.Errorf("%s: %s printed nothing", d.document, command)
			}
		}
		assert.GreaterOrEqual(t, shown, d.least, d.document)
	}
}

// commandsOf are the commands in the blocks of a document that can run here.
func commandsOf(document string) (commands []string) {
	for _, block := range strings.Split(document, "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			command, _, _ := strings.Cut(line, " #")
			command = strings.TrimSpace(command)
			switch {
			case command == "" || strings.HasPrefix(command, "make ") || rocksdb.Missing && strings.Contains(command, "rocksdb"),
				probetest.Rights() != nil && strings.Contains(command, " geth --for "):
				continue
			}
			commands = append(commands, command)
		}
	}
	return commands
}

// workplace is a directory in which the commands of a document can run: with the
// binaries, a database that getio did not write, some of its keys, and the published
// database that other tests made.
func workplace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	linkProgram(t, filepath.Join(dir, "bin", "getio"))
	linkProgram(t, filepath.Join(dir, "bin", benchName))
	// A database that getio did not write is one without its manifest.
	runCommand(t, dir, "bin/getio load made --engine pebblev2 --keys 10M")
	require.NoError(t, os.Rename(filepath.Join(dir, "made", "db"), filepath.Join(dir, "existing")))
	runCommand(t, dir, "bin/getio inspect existing --shape existing.json")
	writeKeys(t, filepath.Join(dir, "existing.json"), filepath.Join(dir, "keys.txt"))
	published, err := sharedPublished()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "reproduce"), 0o755))
	require.NoError(t, os.Symlink(published, filepath.Join(dir, "reproduce", "small")))
	return dir
}

// linkProgram makes the program under one of its names: this test's binary is it when it is
// started by that name.
func linkProgram(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	if os.Link(self, path) == nil {
		return
	}
	binary, err := os.ReadFile(self) // on another file system
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, binary, 0o755))
}

// commandLimit is how long a command may take before it is taken for one that never ends.
const commandLimit = 10 * time.Minute

// runCommand runs a command, scaled down, and returns what it printed.
func runCommand(t *testing.T, dir, command string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", scaledDown.Replace(command))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s: %s", command, out)
	if ended := cmd.ProcessState; ended != nil {
		t.Logf("%.1f s of processor: %s", (ended.UserTime() + ended.SystemTime()).Seconds(), command)
	}
	return string(out)
}

// writeKeys writes the bounds of a shape's tables, which are keys, as a file of keys.
func writeKeys(t *testing.T, shape, keys string) {
	t.Helper()
	data, err := os.ReadFile(shape)
	require.NoError(t, err)
	var s lsm.Shape
	require.NoError(t, json.Unmarshal(data, &s))
	var lines strings.Builder
	for _, l := range s.Levels {
		for _, table := range l.TableList {
			text, err := json.Marshal(table.Smallest)
			require.NoError(t, err)
			lines.WriteString(strings.Trim(string(text), `"`) + "\n")
		}
	}
	require.NoError(t, os.WriteFile(keys, []byte(lines.String()), 0o644))
}
