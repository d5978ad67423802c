package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// held shows a cell of runs whose self-checks held.
func held(cell func(*record.Result) string) func(*record.Result) string {
	return func(r *record.Result) string {
		if !r.Checks.Hold() {
			return units.Absent
		}
		return cell(r)
	}
}

// meanCell is the mean in at most five columns.
func meanCell(r *record.Result) string {
	if !r.Measured() {
		return units.Absent
	}
	return iosPerGet(r.IOsPerGet.Mean)
}

// iosPerGet writes a mean with three decimals, or three digits if it is large.
func iosPerGet(mean float64) string {
	if mean < 9.9995 {
		return fmt.Sprintf("%.3f", mean)
	}
	return units.ThreeDigits(mean)
}

// halfWidth is half of the width of the 95% interval, in at most six columns.
func halfWidth(io record.IOsPerGet) string {
	return figure(io.CI95, func(ci [2]float64) string { return units.IOs((ci[1] - ci[0]) / 2) })
}

func halfWidthCell(r *record.Result) string { return halfWidth(r.IOsPerGet) }

// steadyCell says whether a run is steady, and the drift of one that is not, in at most 10 columns.
func steadyCell(io record.IOsPerGet) string {
	switch {
	case io.Steady == nil:
		return units.Absent
	case *io.Steady:
		return "yes"
	case io.Drift == nil:
		return "no"
	}
	return "no (" + driftCell(*io.Drift) + ")"
}

// driftCell is a drift in per cent, with a decimal if it is small.
func driftCell(drift float64) string {
	switch percent := 100 * drift; {
	case percent >= 99.5:
		return ">+99%"
	case percent <= -99.5:
		return "<-99%"
	case math.Abs(percent) < 1:
		return fmt.Sprintf("%+.1f%%", percent)
	default:
		return fmt.Sprintf("%+.0f%%", percent)
	}
}

func failedNames(checks record.Checks) string {
	var names []string
	for _, c := range checks.Failed() {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// failedAt names the self-checks that failed with a cache.
func failedAt(cache string, r *record.Result) string {
	return fmt.Sprintf("FAILED at %s: self-check %s; none of its figures is printed.", cache, failedNames(r.Checks))
}

// cacheSize is the size of the cache. 0 is a size if something was measured.
func cacheSize(r *record.Result) string {
	if r.Cache.Bytes == 0 && !r.Measured() {
		return units.Absent
	}
	return units.Size(r.Cache.Bytes)
}

func fractionOfDB(r *record.Result) string {
	if r.Cache.FractionOfDB == 0 && (r.Cache.Bytes > 0 || !r.Measured()) {
		return units.Absent
	}
	return units.Percent(r.Cache.FractionOfDB)
}

func direction(drift float64) string {
	if drift < 0 {
		return "falling"
	}
	return "rising"
}

func steadyOrFailed(r *record.Result) string {
	if !r.Checks.Hold() {
		return "FAILED"
	}
	return steadyCell(r.IOsPerGet)
}

// continuedCell is the last figure of a continued run, and whether it is steady.
func continuedCell(r *record.Result) string {
	if len(r.Continued) == 0 {
		return units.Absent
	}
	return iosPerGet(r.Last().Mean) + ", " + ifAny(!r.EndsSteady(), "not known to be ") + "steady"
}

func componentHitRate(v record.Component) string {
	return figure(v.HitRate, func(rate float64) string { return tilde(v) + decimals(rate) })
}

// hitRateIn is the hit rate of a component.
func hitRateIn(component string) func(*record.Result) string {
	return func(r *record.Result) string { return componentHitRate(r.Components[component]) }
}

// tilde marks what depends on an estimated split of accesses.
func tilde(v record.Component) string {
	return ifAny(v.Split == record.SplitEstimated, "~")
}

// bytesRead writes bytes per Get; reads without bytes were not counted in bytes.
func bytesRead(bytes, misses, gets int64) string {
	if gets <= 0 || bytes == 0 && misses > 0 {
		return units.Absent
	}
	return units.MeanSize(float64(bytes) / float64(gets))
}

func blockCacheHitRate(r *record.Result) string {
	return figure(r.Cached, func(c record.BlockCache) string { return units.Thousandths(c.HitRate) })
}

// bytesPerGet is the record's own figure. Where Gets made I/Os, 0 marks it as absent.
func bytesPerGet(r *record.Result) string {
	if !r.Measured() || r.BytesPerGet == 0 && r.IOsPerGet.Mean > 0 {
		return units.Absent
	}
	return units.MeanSize(r.BytesPerGet)
}

func componentName(c string) string { return strings.ReplaceAll(c, "_", " ") }

// reported returns the components that a table lists: Blob only if the record has it.
func reported[F any](components map[string]F) []string {
	return slices.DeleteFunc(slices.Clone(record.ComponentNames), func(c string) bool {
		_, there := components[c]
		return c == record.Blob && !there
	})
}

func estimated(r *record.Result) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(r.Components)), func(v record.Component) bool { return tilde(v) != "" })
}

// timeText writes microseconds.
func timeText(us float64) string {
	switch {
	case us < 999.5:
		return units.ThreeDigits(us) + " us"
	case us < 999.5e3:
		return units.ThreeDigits(us/1e3) + " ms"
	}
	return units.ThreeDigits(us/1e6) + " s"
}

func readsOf(of func(record.Distribution) int) func(*record.Result) string {
	return func(r *record.Result) string {
		return figure(r.Distribution, func(d record.Distribution) string { return fmt.Sprint(of(d)) })
	}
}

func latencyOf(of func(record.Latency) float64) func(*record.Result) string {
	return func(r *record.Result) string {
		return figure(r.Latency, func(l record.Latency) string { return timeText(of(l)) })
	}
}

// readsCell is the mean and half of the width of its 95% interval.
func readsCell(io record.IOsPerGet) string {
	cell := fmt.Sprintf("%.3f", io.Mean)
	if io.CI95 != nil {
		cell += fmt.Sprintf(" ±%.3f", (io.CI95[1]-io.CI95[0])/2)
	}
	return cell
}

// ratio writes a part of a whole; it is absent of nothing.
func ratio(part, of float64, write func(float64) string) string {
	if of <= 0 {
		return units.Absent
	}
	return write(part / of)
}

// share is a share of the base, in at most six columns.
func share(fraction float64) string {
	if fraction >= 9.995 {
		return ">999%"
	}
	return units.Percent(fraction)
}

func signedShare(fraction float64) string {
	if fraction > 0 {
		return "+" + share(fraction)
	}
	return units.SignedPercent(fraction)
}

// orElse stands between texts that differ between records.
const orElse = "; or "

// distinct joins the different texts of records; empty ones are left out.
func distinct[R any](records []R, separator string, of func(R) string) string {
	var texts []string
	for _, r := range records {
		if text := of(r); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

// firstKnown returns what the first record has that has it; nil if none does.
func firstKnown[R, T any](records []R, of func(R) *T) *T {
	for _, r := range records {
		if v := of(r); v != nil {
			return v
		}
	}
	return nil
}

func ifAny(is bool, text string) string {
	if !is {
		return ""
	}
	return text
}
