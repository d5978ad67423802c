package blocktrace

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded has lines of Linux 6.18 and 5.10, including a process with an odd name.
const recorded = `# tracer: nop
     kworker/0:2-3131    [000] ..s1.  7012.345678: block_rq_complete: 7,0 R () 12344 + 8 none,0,0 [0]
     a: block_rq_complete: 9 R () 1 + 1-77 [001] d.h.1 1.0: block_rq_complete: 7,0 RA () 16 + 24 [0]
          <idle>-0       [001] ..s2.     1.500000: block_rq_complete: 7,0 RM () 8 + 8 none,0,0 [0]
           other-1       [001] ..s2.     1.500000: block_rq_issue: 7,0 R 4096 () 8 + 8 none,0,0 [sh]
`

var want = []Request{{12344, 8, false}, {16, 24, false}, {8, 8, true}}

// TestPieces checks that the requests do not depend on how the trace is split into pieces.
func TestPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var trace Trace
		var got []Request
		for rest := recorded; rest != ""; {
			n := 1 + random.IntN(len(rest))
			var err error
			if got, err = trace.parse(got, []byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		require.Equal(t, want, got)
	}
}

func TestLostAndInvalidLines(t *testing.T) {
	var trace Trace
	if _, err := trace.parse(nil, []byte("CPU:1 [LOST 17 EVENTS]\n")); !errors.Is(err, ErrLost) {
		t.Error(err)
	}
	for _, bad := range []string{"7,0 R", "7,0 R () x + 8 [0]", "7,0 R () 8 + x [0]", "7,0 R () 8 - 8 [0]", "7,0 R () -8 + 8 [0]"} {
		if _, _, err := parseLine("sh-1 [000] 1.0: block_rq_complete: " + bad); err == nil || !strings.Contains(err.Error(), "invalid line") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestWithoutTracefs(t *testing.T) {
	if _, err := Start(filepath.Join(t.TempDir(), "none"), "getio-none", 0); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	assert.NoError(t, CleanUp(t.TempDir(), "getio-none"), "cleaning up without a trace")
}

// TestInvalidInstance uses an instance name that tracefs rejects.
func TestInvalidInstance(t *testing.T) {
	at := t.TempDir()
	if _, err := Start(at, "none/none", 0); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(at); err != nil || len(entries) > 0 {
		t.Errorf("tracefs is still mounted: %v, %v", entries, err)
	}
}

func FuzzParseLine(f *testing.F) {
	for line := range strings.Lines(recorded) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		r, ok, err := parseLine(line)
		if ok && (err != nil || r.Sector < 0 || r.Sectors < 0) {
			t.Errorf("%q is %+v, %v", line, r, err)
		}
	})
}
