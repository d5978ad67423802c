package judge

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
	"getio/numbers/units"
	"getio/record"
	"getio/workload"
)

// TestRises judges records. Each line of the input is a record: its side, and how it differs from testRun's default.
func TestRises(t *testing.T) {
	datadriven.RunTest(t, "testdata/judge", func(t *testing.T, d *datadriven.TestData) string {
		maxRise := 0.02
		for _, arg := range d.CmdArgs {
			share, err := units.ParseShare(arg.Vals[0])
			require.NoError(t, err)
			maxRise = share
		}
		sides := map[string][]*record.Result{}
		for line := range strings.Lines(d.Input) {
			words := strings.Fields(line)
			sides[words[0]] = append(sides[words[0]], testRun(t, words[1:]))
		}
		lines, err := Rises(sides["base"], sides["new"], maxRise)
		if err != nil {
			return err.Error() + "\n"
		}
		var out strings.Builder
		for _, g := range lines {
			fmt.Fprintf(&out, "%s: %s\n", g.Verdict, g.Setting)
			if g.Reason != "" {
				fmt.Fprintf(&out, "  %s\n", g.Reason)
			}
			if g.Unjudged != "" {
				fmt.Fprintf(&out, "  unjudged: %s\n", g.Unjudged)
			}
			for _, c := range g.Changed {
				fmt.Fprintf(&out, "  changed: %s from %q to %q\n", c.Name, c.Base, c.New)
			}
			for _, f := range g.Figures {
				fmt.Fprintf(&out, "  %s %.4g to %.4g: %s\n", f.Metric, f.Base, f.New, described(f))
			}
		}
		err = Failure(lines)
		fmt.Fprintf(&out, "%v\n", err)
		return out.String()
	})
}

func described(f record.GateFigure) string {
	scale, unit := 100.0, "%"
	if f.PerGet {
		scale, unit = 1, " per Get"
	}
	text := fmt.Sprintf("%+.4g%s (%.4g to %.4g, at least %.4g), limit %.4g, %s", scale*f.Rise, unit, scale*f.CI95[0], scale*f.CI95[1], scale*f.AtLeast, scale*f.Limit, f.Verdict)
	if f.GetsNeeded > 0 {
		text += fmt.Sprintf(", %d Gets needed", f.GetsNeeded)
	}
	return text
}

// testRun makes a record from words such as cache=12MiB. The noise of its windows is the share of their mean by
// which they lie above and below it by turns, so that nothing is random.
func testRun(t *testing.T, words []string) *record.Result {
	t.Helper()
	yes := true
	r := &record.Result{
		Schema: record.ResultSchema, Time: time.Unix(1, 0).UTC(),
		Engine:   record.Engine{Name: "pebblev2", Version: "v2.1.7", Preset: "geth", Options: map[string]string{"block_size": "4KiB"}},
		Dataset:  record.Dataset{Kind: "shaped", Keys: 2_000_000, Records: 2_000_000, Keyspace: "keccak", Values: "random", Seed: 1, Bytes: 1000},
		Cache:    record.Cache{Bytes: 12 << 20, Shards: 4},
		Workload: record.Made{Kind: "uniform", HitFraction: 1, Workers: 1, WarmupRule: "auto", WarmupGets: 50_000, Gets: 400_000},
		Checks:   readpath.Checks{{Name: "reads", OK: true}},
	}
	r.IOsPerGet.Steady = &yes
	reads, noise, windows, bytes, old := map[string]float64{"data": 1}, 0.01, 20, 4096.0, false
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return v
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "at":
			r.Time = time.Unix(int64(number(value)), 0).UTC()
		case "version":
			r.Engine.Version = value
		case "engine":
			r.Engine.Name = value
		case "block_size":
			r.Engine.Options["block_size"] = value
		case "option":
			r.Engine.Options[value] = "on"
		case "cache":
			size, err := units.ParseSize(value)
			require.NoError(t, err)
			r.Cache.Bytes = size
		case "workers":
			r.Workload.Workers = int(number(value))
		case "absent":
			r.Workload.HitFraction = 1 - number(value)
		case "zipf":
			r.Workload.Zipf = number(value)
		case "trace":
			r.Workload.TraceSHA256 = value
		case "keysfile":
			r.Workload.KeysSHA256 = value
		case "warmup":
			r.Workload.WarmupRule = value
		case "scan":
			r.Workload.Operation = workload.Operation{Kind: workload.Scan, Records: int(number(value))}
		case "updates":
			r.Workload.Updates = int64(number(value))
		case "rate":
			r.Latency = &record.Latency{Rate: int64(number(value))}
		case "update-rate":
			r.Updates = &record.Updates{Rate: number(value)}
		case "existing":
			r.Dataset = record.Dataset{Kind: "existing", Keyspace: "sampled", Records: int64(number(value)), Bytes: 1000}
		case "bytes":
			r.Dataset.Bytes = int64(number(value))
		case "mdbx":
			r.Tables = append(r.Tables, record.TableReads{Name: value})
		case "keys":
			r.Dataset.Keys = uint64(number(value))
		case "comparison":
			r.ComparisonRun = &record.ComparisonRun{Side: "A", Round: 1, Rounds: 2}
		case "failed":
			r.Checks[0].OK = false
		case "steady":
			steady := value == "yes"
			r.IOsPerGet.Steady = &steady
			if value == "unknown" {
				r.IOsPerGet.Steady = nil
			}
		case "gets":
			r.Workload.Gets = int64(number(value))
		case "windows":
			windows = int(number(value))
		case "noise":
			noise = number(value)
		case "per-read":
			bytes = number(value)
		case "old":
			old = true
		case "continued":
			r.Continued = []record.Continuation{{}}
		default:
			reads[name] = number(value)
		}
	}
	fill(r, reads, bytes, windows, func(w int, mean float64) float64 { return mean * (1 + noise*float64(1-2*(w%2))) })
	if old {
		r.BytesWindows = nil
		for name := range r.Components {
			r.Components[name] = record.Component{Misses: r.Components[name].Misses}
		}
	}
	if len(r.Continued) > 0 { // what was steady is the continuation
		c := &r.Continued[0]
		c.Gets, c.IOsPerGet, c.Components, c.BytesWindows = r.Workload.Gets, r.IOsPerGet, r.Components, r.BytesWindows
		r.IOsPerGet, r.Components, r.BytesWindows = record.IOsPerGet{Windows: []float64{9, 9}}, nil, nil
	}
	return r
}

// fill sets the windows and means of a record from the reads per Get of each component.
func fill(r *record.Result, reads map[string]float64, bytesPerRead float64, windows int, window func(w int, mean float64) float64) {
	r.Components = map[string]record.Component{}
	each := r.Workload.Gets / int64(windows)
	all, bytes := make([]int64, windows), make([]int64, windows)
	for _, c := range record.ComponentNames {
		component := record.Component{}
		if mean := reads[c]; mean > 0 {
			component.Windows = make([]int64, windows)
			for w := range windows {
				n := int64(math.Round(max(window(w, mean), 0) * float64(each)))
				component.Windows[w] = n
				component.Misses += n
				all[w] += n
				bytes[w] += int64(float64(n) * bytesPerRead)
			}
		}
		r.Components[c] = component
	}
	var sum int64
	for w := range windows {
		r.IOsPerGet.Windows = append(r.IOsPerGet.Windows, float64(all[w])/float64(each))
		sum += all[w]
	}
	r.IOsPerGet.Mean, r.BytesWindows = float64(sum)/float64(r.Workload.Gets), bytes
}

func TestRoundUp(t *testing.T) {
	for gets, want := range map[float64]int64{0.3: 1, 9: 9, 101: 110, 123_456: 130_000, 1e9: 1e9} {
		assert.Equal(t, want, roundUp(gets), "%v", gets)
	}
}
