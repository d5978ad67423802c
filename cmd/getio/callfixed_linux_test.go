package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"getio/internal/filecalls"
)

// TestCallFaultsFixed makes calls fail that once led to another figure, to a load that passed for complete or to
// one that never ended.
func TestCallFaultsFixed(t *testing.T) {
	t.Parallel()
	all := callCases(t)
	for _, c := range []struct {
		name, command string // of the case, and of its command
		kind          filecalls.Kind
		path          string // of the call that fails
		number        int    // of the calls on such a path, from 1
		failure       callFailure
		want          verdict
	}{
		// The chain of pebblev2 was then read with pebblev1.
		{"chain", "inspect", filecalls.Open, `OPTIONS-\d+$`, 1, fails(unix.EIO), refused},
		// The log then had no bytes.
		{"chain", "inspect", filecalls.Stat, `\.log$`, 1, fails(unix.EIO), refused},
		{"natural rocksdb", "inspect", filecalls.Stat, `\.log$`, 1, fails(unix.EIO), refused},
		// RocksDB went on without an OPTIONS file, and nothing could read the database.
		{"natural rocksdb", "load", filecalls.Write, `\.dbtmp$`, 1, fails(unix.ENOSPC), refused},
		// LevelDB ended its compactions, for which the load waited.
		{"natural goleveldb", "load", filecalls.Read, `\.ldb$`, 1, endsEarly, refused},
		{"natural goleveldb", "load", filecalls.Read, `\.ldb$`, 1, fails(unix.EIO), refused},
		{"natural goleveldb", "load", filecalls.Open, `\.ldb$`, 1, fails(unix.EACCES), refused},
		{"natural goleveldb", "load", filecalls.Open, `/db$`, 13, fails(unix.EMFILE), refused},
		// Pebble v1 left keys out, and the load passed for complete.
		{"natural pebblev1", "load", filecalls.Read, `\.sst$`, 1, fails(unix.EIO), refused},
		// Pebble v1 left the keys of the block out, and the updates passed for finished.
		{"updated pebblev1", "measure", filecalls.Read, `\.sst$`, 200, isFlipped, refused},
		// The message was a bare EOF.
		{"updating pebblev2", "measure", filecalls.Read, `\.sst$`, 60, endsEarly, refused},
		// Both Pebbles panicked when they did not learn the size of a log to be used again.
		{"natural pebblev1", "load", filecalls.Stat, `\.log$`, 2, fails(unix.EIO), refused},
		{"natural pebblev2", "load", filecalls.Stat, `\.log$`, 2, fails(unix.EIO), refused},
		// The message was Go's.
		{"shaped pebblev2", "measure", filecalls.Read, `\.sst$`, 1, endsEarly, refused},
		// The records that were not read were overwritten.
		{"sweep --out", "sweep", filecalls.Read, `out\.jsonl$`, 1, endsEarly, refused},
		{"compare --out", "compare", filecalls.Read, `out\.jsonl$`, 1, endsEarly, refused},
		// The mark of a complete chain was not synced.
		{"chain pebblev1", "chain", filecalls.Sync, `chain\.json$`, 1, fails(unix.EIO), refused},
		// The chain lies in its directory, whose name is not synced.
		{"chain pebblev1", "chain", filecalls.Sync, `/d$`, 1, fails(unix.EIO), refused},
		// go-ethereum took the table's index for empty, and emptied the table.
		{"chain pebblev1", "chain", filecalls.Read, `account\.index\.cidx$`, 5, fails(unix.EIO), refused},
		// The store lost the keys of its log while it settled.
		{"chain pebblev2", "chain", filecalls.Read, `\.log$`, 3, endsEarly, refused},
		{"chain goleveldb", "chain", filecalls.Read, `\.log$`, 3, endsEarly, refused},
	} {
		t.Run(filepath.Join(c.name, c.command, c.kind.String()), func(t *testing.T) {
			for _, of := range all {
				if of.name != c.name || of.command[0] != c.command {
					continue
				}
				// A wrong bit does no harm in a footer's padding, or where statistics of a table are read beside the updates.
				v := unharmed
				for number := c.number; v == unharmed && number < c.number+5; number++ {
					f := &callFault{callCase: of, kind: c.kind, number: number, on: regexp.MustCompile(c.path), failure: c.failure}
					r, err := of.run(filepath.Join(t.TempDir(), "d"), f)
					require.NoError(t, err)
					require.NotEmpty(t, r.path, "no such call")
					var detail string
					if v, detail = of.judge(r); v != unharmed {
						assert.Equal(t, c.want, v, "%s: %s\n%s%s", f, detail, r.out, r.errOut)
					}
				}
				assert.NotEqual(t, unharmed, v, "no such call did any harm")
				return
			}
			t.Skip("the engine is missing")
		})
	}
}

// TestOutputFails requires that figures that cannot be printed are an error.
func TestOutputFails(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, in := range faultedInputs(t) {
		if in.name != "natural pebblev1" && in.name != "chain" && in.name != "text" {
			continue
		}
		for _, command := range in.commands {
			_, errOut, err := runWith(in.dir, command, func(cmd *exec.Cmd) error {
				cmd.Stdout = full
				return cmd.Run()
			})
			var exit *exec.ExitError
			if assert.ErrorAs(t, err, &exit, "%v", command) {
				assert.Equal(t, exitFailed, exit.ExitCode(), "%v", command)
			}
			assert.NoError(t, checkSentence("no space left on device", errOut), "%v", command)
		}
	}
}
