package report

import (
	"fmt"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

func getsText(r *record.Result) string {
	if !r.Measured() {
		return units.Absent
	}
	w := r.Workload
	workers := units.CommaOf(int64(w.Workers)) + " workers"
	if w.Workers == 1 {
		workers = "1 worker"
	}
	text := fmt.Sprintf("%s %s, %s, by %s", units.Comma(w.Gets), kindText(w), existing(w.HitFraction), workers)
	if w.Trace == "" {
		text += fmt.Sprintf(", seed %d", w.Seed)
	}
	return text
}

// kindText says which keys were asked for, how often, and how.
func kindText(w record.Workload) string {
	var kind string
	switch {
	case w.Trace != "":
		kind = "of the trace " + units.OneLine(w.Trace)
	case w.Zipf > 0:
		kind = fmt.Sprintf("zipf of exponent %g", w.Zipf)
	case !w.Popularity.Uniform():
		kind = fmt.Sprintf("hotset (%s)", w.Popularity)
	default:
		kind = orAbsent(w.Kind)
	}
	if w.KeysFile != "" {
		kind += " over the keys of " + units.OneLine(w.KeysFile)
	}
	switch w.Operation {
	case record.OperationScan:
		kind += fmt.Sprintf(", each of %s in order", units.Plural(int64(w.KeysPerOperation), "key"))
	case record.OperationMultiget:
		kind += fmt.Sprintf(", each of %s looked up together by an iterator", units.Plural(int64(w.KeysPerOperation), "key"))
	}
	return kind
}

func existing(hitFraction float64) string {
	switch hitFraction {
	case 1:
		return "of keys that exist"
	case 0:
		return "of keys that do not exist"
	}
	return units.Percent(hitFraction) + " of them of keys that exist"
}

// workloadText describes a workload other than uniform Gets.
func workloadText(r *record.Result) string {
	w := r.Workload
	if w.Operation == "" && w.Trace == "" && w.Popularity.Uniform() {
		return ""
	}
	return w.Words().Many + ", " + kindText(w)
}

// plainGets reports whether all results are of Gets in databases without concurrent
// updates: other figures do not tell which cache to take.
func plainGets(results []*record.Result) bool {
	return !slices.ContainsFunc(results, func(r *record.Result) bool { return r.Workload.Operation != "" || r.Updates != nil })
}

// upper returns the text with a capital first letter.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
