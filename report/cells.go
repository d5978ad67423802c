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
func meanCell(r *record.Result) string { return figureIf(r.Measured(), iosPerGet(r.IOsPerGet.Mean)) }

// iosPerGet writes a mean with three decimals, or three digits if it is large.
func iosPerGet(mean float64) string {
	if mean < 9.9995 {
		return fmt.Sprintf("%.3f", mean)
	}
	return units.ThreeDigits(mean)
}

func half(ci [2]float64) float64 { return (ci[1] - ci[0]) / 2 }

// halfWidth is half of the width of the 95% interval, in at most six columns.
func halfWidth(r *record.Result) string {
	return figure(r.IOsPerGet.CI95, func(ci [2]float64) string { return units.IOs(half(ci)) })
}

// steadyOrFailed says whether a run is steady, and the drift of one that is not, in at most 10 columns.
func steadyOrFailed(r *record.Result) string {
	switch io := r.IOsPerGet; {
	case !r.Checks.Hold():
		return "FAILED"
	case io.Steady == nil:
		return units.Absent
	case *io.Steady:
		return "yes"
	case io.Drift == nil:
		return "no"
	default:
		return "no (" + driftCell(*io.Drift) + ")"
	}
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
	return joined(checks.Failed(), ", ", func(c record.Check) string { return c.Name })
}

func failedAt(cache string, r *record.Result) string {
	return fmt.Sprintf("FAILED at %s: self-check %s; none of its figures is printed.", cache, failedNames(r.Checks))
}

// cacheSize is the size of the cache. 0 is a size if something was measured.
func cacheSize(r *record.Result) string {
	return figureIf(r.Cache.Bytes > 0 || r.Measured(), units.Size(r.Cache.Bytes))
}

func fractionOfDB(r *record.Result) string {
	return figureIf(r.Cache.FractionOfDB > 0 || r.Cache.Bytes == 0 && r.Measured(), units.Percent(r.Cache.FractionOfDB))
}

func continuedCell(r *record.Result) string {
	return figureIf(len(r.Continued) > 0, iosPerGet(r.Last().Mean)+", "+units.If(!r.EndsSteady(), "not known to be ")+"steady")
}

func componentHitRate(v record.Component) string {
	return figure(v.HitRate, func(rate float64) string { return tilde(v) + decimals(rate) })
}

func hitRateIn(component string) func(*record.Result) string {
	return func(r *record.Result) string { return componentHitRate(r.Components[component]) }
}

// tilde marks what depends on an estimated split of accesses.
func tilde(v record.Component) string {
	return units.If(v.Split == record.SplitEstimated, "~")
}

// bytesRead writes bytes per Get; reads without bytes were not counted in bytes.
func bytesRead(bytes, misses, gets int64) string {
	return figureIf(bytes > 0 || misses == 0, ratio(float64(bytes), float64(gets), units.MeanSize))
}

func blockCacheHitRate(r *record.Result) string {
	return figure(r.Cached, func(c record.BlockCache) string { return units.Thousandths(c.HitRate) })
}

// bytesPerGet is the record's own figure. Where Gets made I/Os, 0 marks it as absent.
func bytesPerGet(r *record.Result) string {
	return figureIf(r.Measured() && (r.BytesPerGet > 0 || r.IOsPerGet.Mean == 0), units.MeanSize(r.BytesPerGet))
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

// latencyNote says what the latencies of runs are; "" if none has any.
func latencyNote(runs []*record.Result) string {
	kind := distinct(runs, orElse, func(r *record.Result) string { return say("latency", r) })
	return units.If(kind != "", "Latency: "+kind+".")
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

func readsCell(io record.IOsPerGet) string {
	cell := fmt.Sprintf("%.3f", io.Mean)
	if io.CI95 != nil {
		cell += fmt.Sprintf(" ±%.3f", half(*io.CI95))
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

// joined joins the texts of records; empty ones are left out.
func joined[R any](records []R, separator string, of func(R) string) string {
	var texts []string
	for _, r := range records {
		if text := of(r); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

// distinct joins the different texts of records, each once.
func distinct[R any](records []R, separator string, of func(R) string) string {
	var before []string
	return joined(records, separator, func(r R) string {
		text := of(r)
		if slices.Contains(before, text) {
			return ""
		}
		before = append(before, text)
		return text
	})
}

// proseOf writes the different texts of records, each once.
func proseOf[R any](p *printer, records []R, of func(R) string) {
	for text := range strings.Lines(distinct(records, "\n", of)) {
		p.prose(text)
	}
}
