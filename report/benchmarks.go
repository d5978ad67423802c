package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"getio/quantity"
	"getio/readpath"
	"getio/record"
	"getio/study"
)

// Benchmarks writes the runs of a study in Go's benchmark format, for benchstat: what
// was measured as configuration, and a benchmark for each cache, whose samples are the
// windows of the run in I/Os per Get (ios/Get). One further line has what is known
// of the run as a whole: bytes per Get (B/Get), and of each component its hits per
// access and its misses per Get. Runs that go on from another are benchmarks of their
// own, named after the Gets before them. Of a run whose self-checks failed, nothing is
// written; predictions are no samples, and are not written either.
//
// The number behind a name's last dash is that of the workers.
func Benchmarks(w io.Writer, s *study.Study) error {
	out := benchfmt.NewWriter(w)
	for _, c := range s.Curves {
		for _, r := range c.Runs {
			if err := writeBenchmarks(out, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeBenchmarks(out *benchfmt.Writer, r *record.Result) error {
	run := wholeRun{"", r.Workload.Gets, &r.IOsPerGet, r.BytesPerGet, r.Components, r.Cached}
	if err := run.write(out, r); err != nil {
		return err
	}
	for _, more := range r.Continued {
		if err := continuation(more).write(out, r); err != nil {
			return err
		}
	}
	return nil
}

func continuation(c record.Continuation) wholeRun {
	return wholeRun{fmt.Sprintf("/after=%d", c.GetsBefore), c.Gets, &c.IOsPerGet, c.BytesPerGet, c.Components, c.Cached}
}

// wholeRun is what a measurement and a continuation of it have alike.
type wholeRun struct {
	part       string // of the name
	gets       int64
	ios        *record.IOsPerGet
	bytes      float64 // per Get
	components map[string]record.Component
	cached     *record.BlockCache
}

// write writes the windows and then the run as a whole.
func (run wholeRun) write(out *benchfmt.Writer, r *record.Result) error {
	line := benchfmt.Result{Config: configuration(r), Name: benchmarkName(r, run.part)}
	for _, mean := range run.ios.Windows {
		line.Iters, line.Values = int(run.ios.WindowGets), []benchfmt.Value{{Value: mean, Unit: "ios/Get"}}
		if err := out.Write(&line); err != nil {
			return err
		}
	}
	line.Iters, line.Values = int(run.gets), run.values()
	if len(line.Values) == 0 {
		return nil
	}
	return out.Write(&line)
}

// values are the figures of the whole run that are known.
func (run wholeRun) values() (values []benchfmt.Value) {
	if run.bytes > 0 || run.ios.Mean == 0 {
		values = append(values, benchfmt.Value{Value: run.bytes, Unit: "B/Get"})
	}
	for _, component := range readpath.Components() {
		c, ok := run.components[component.String()]
		if !ok {
			continue
		}
		name := strings.ReplaceAll(component.String(), "_", "-")
		if c.HitRate != nil {
			values = append(values, benchfmt.Value{Value: *c.HitRate, Unit: name + "-hits/access"})
		}
		values = append(values, benchfmt.Value{Value: float64(c.Misses) / float64(run.gets), Unit: name + "-misses/Get"})
	}
	if run.cached != nil && run.cached.HitRate != nil {
		values = append(values, benchfmt.Value{Value: *run.cached.HitRate, Unit: "block-cache-hits/access"})
	}
	return values
}

// configuration is what tells runs apart beside the cache; what is not known is left out.
func configuration(r *record.Result) (lines []benchfmt.Config) {
	d, w := r.Dataset, r.Workload
	for _, line := range []struct{ key, value string }{
		{"goos", r.Environment.OS},
		{"goarch", r.Environment.Arch},
		{"cpu", r.Environment.CPU},
		{"engine", r.Engine.Name},
		{"version", r.Engine.Version},
		{"preset", r.Engine.Preset},
		{"dataset", d.Path},
		{"kind", d.Kind},
		{"keys", known(max(int64(d.Keys), d.Records))},
		{"keyspace", d.Keyspace},
		{"values", d.Values},
		{"bytes", known(d.Bytes)},
		{"workload", w.Kind},
		{"hit-fraction", fmt.Sprint(w.HitFraction)},
		{"lookup", w.Lookup},
		{"updates", known(w.Updates)},
		{"split", r.Components[readpath.Index.String()].Split},
		{"page-cache", r.Device.PageCache},
	} {
		if value := oneLine(line.value); value != "" {
			lines = append(lines, benchfmt.Config{Key: line.key, Value: []byte(value), File: true})
		}
	}
	return lines
}

// known writes a figure that 0 marks as absent.
func known(n int64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func benchmarkName(r *record.Result, part string) benchfmt.Name {
	return fmt.Appendf(nil, "Get/dataset=%s/engine=%s/cache=%s%s-%d",
		namePart(filepath.Base(r.Dataset.Path)), namePart(r.Engine.Name), quantity.Exact(r.Cache.Bytes), part, r.Workload.Workers)
}

// namePart has no blanks, which end a name, and no slashes, which divide it.
func namePart(s string) string {
	part := strings.Map(func(r rune) rune {
		if r == '/' || !unicode.IsPrint(r) || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, s)
	return textOf(part)
}
