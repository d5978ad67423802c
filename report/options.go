package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"getio/record"
)

// inspectOptions writes the options that the database was written with, and those of
// reading it that differ. The manifest has every option and the number of filter bits,
// and comes before the database's own options file.
func inspectOptions(p *printer, in *record.Inspection) {
	written, ours := in.Written, in.Dataset != nil && len(in.Dataset.Options) > 0
	if ours {
		written = in.Dataset.Options
	}
	if len(written) == 0 && in.Read == nil {
		return
	}
	p.blank()
	read := ""
	if in.Read != nil {
		read = readOptions(written, in.Read, ours)
	}
	p.text("written with", map[string]any{"Written": compact(written), "Ours": ours, "Read": read})
	if strings.Contains(compact(written)+compact(in.Read), "/") {
		p.text("per level", nil)
	}
}

// readOptions lists only the differences where both lists have the same names.
func readOptions(written, read map[string]string, alike bool) string {
	if !alike {
		return compact(read)
	}
	differing := map[string]string{}
	for name, value := range read {
		if written[name] != value {
			differing[name] = value
		}
	}
	if len(differing) == 0 {
		return "the same options"
	}
	return "the same options, except " + compact(differing)
}

// compact writes options in the order of their names. Those that are set per level
// (NAME.L0 to NAME.L6) are one, with a slash between levels.
func compact(options map[string]string) string {
	var parts []string
	for _, name := range sortedKeys(options) {
		base, level, perLevel := strings.Cut(name, ".L")
		values, all := levelValues(base, options)
		switch {
		case perLevel && all && level != "0":
			continue // is part of the option's L0
		case perLevel && all:
			parts = append(parts, base+"="+values)
		default:
			parts = append(parts, name+"="+options[name])
		}
	}
	return strings.Join(parts, " ")
}

// levelValues joins an option's values on all levels, if it has all of them.
func levelValues(base string, options map[string]string) (joined string, all bool) {
	const levels = 7
	values := make([]string, levels)
	for level := range values {
		value, ok := options[fmt.Sprintf("%s.L%d", base, level)]
		if !ok {
			return "", false
		}
		values[level] = value
	}
	return strings.Join(values, "/"), true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
