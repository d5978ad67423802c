package record

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Comparisons of two rounds, without the fields that no check looks at.
const (
	aComparison = `{"schema":"getio.compare/1","time":"2026-11-22T12:00:00Z","metric":"ios_per_get","cache":{"bytes":1000,"fraction_of_db":0.1},` +
		`"workload":{"hit_fraction":1,"workers":2,"gets":10},"rounds":2,` +
		`"base":{"label":"A","estimate":{"mean":2,"ci95":[-10,14]},"by_round":[1.5,2.5],"drift":{"mean":0.1,"ci95":[-0.2,0.4]}},` +
		`"side":{"label":"B","estimate":{"mean":1,"ci95":[0.9,1.1]},"by_round":[0.9,1.1],"drift":{"mean":-0.1,"ci95":[-0.4,0.2]}},` +
		`"difference":{"mean":-1,"ci95":[-1.5,-0.5]},"ratio":{"mean":0.5138093031466052,"ci95":[0.4,0.6]},"verdict":"less"}`
	anUnbelievable = `{"schema":"getio.compare/1","time":"2026-11-22T12:00:00Z","metric":"ios_per_get","cache":{"bytes":1000,"fraction_of_db":0.1},` +
		`"workload":{"hit_fraction":0,"workers":2,"gets":10},"rounds":2,"base":{"label":"A"},"side":{"label":"B"},"verdict":"unbelievable"}`
)

// changed returns a line with parts of it replaced.
func changed(t *testing.T, line string, replaced ...string) string {
	t.Helper()
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(line, replaced[i]) {
			t.Fatalf("nothing to replace: %s", replaced[i])
		}
		line = strings.Replace(line, replaced[i], replaced[i+1], 1)
	}
	return line
}

const (
	aRatio = `,"ratio":{"mean":0.5138093031466052,"ci95":[0.4,0.6]}`
	aDrift = `,"drift":{"mean":-0.1,"ci95":[-0.4,0.2]}`
	moving = `,"drift":{"mean":-0.1,"ci95":[-0.15,-0.05]}`
)

// TestSetTakesComparisons of every verdict, and with the widest possible intervals.
func TestSetTakesComparisons(t *testing.T) {
	lines := map[string]string{
		"less":         aComparison,
		"unbelievable": anUnbelievable,
		"more": changed(t, aComparison, `"less"`, `"more"`, `{"mean":1,"ci95":[0.9,1.1]},"by_round":[0.9,1.1]`, `{"mean":4,"ci95":[3,5]},"by_round":[3,5]`,
			`{"mean":-1,"ci95":[-1.5,-0.5]}`, `{"mean":2,"ci95":[1,3]}`, `0.5138093031466052,"ci95":[0.4,0.6]`, `2,"ci95":[1.4,1e100]`),
		"none":         changed(t, aComparison, `"less"`, `"none"`, `[0.4,0.6]`, `[0.4,1]`),
		"unsteady":     changed(t, aComparison, `"less"`, `"not_steady"`, aDrift, moving),
		"too few Gets": changed(t, aComparison, `"less"`, `"not_known_to_be_steady"`, aDrift, ""),
		"bytes": changed(t, aComparison, `"ios_per_get"`, `"bytes_per_get"`, `[1.5,2.5]`, `[1e7,2]`, `"mean":2,`, `"mean":5000001,`, `[-10,14]`, `[-6e7,7e7]`,
			`"mean":-1,`, `"mean":-5000000,`, `[-1.5,-0.5]`, `[-7e7,6e7]`, `0.5138093031466052,"ci95":[0.4,`, `0.00022248595461286987,"ci95":[0,`),
		"processor time": changed(t, aComparison, `"ios_per_get"`, `"cpu_us_per_get"`),
		"component":      changed(t, aComparison, `"ios_per_get"`, `"top_index"`),
		"no ratio":       changed(t, aComparison, `"mean":1,"ci95":[0.9,1.1]},"by_round":[0.9,1.1]`, `"mean":0.55,"ci95":[-7,8]},"by_round":[0,1.1]`, `"mean":-1,`, `"mean":-1.45,`, aRatio, ""),
	}
	var r Set
	if err := r.ReadFile(write(t, strings.Join(slices.Sorted(maps.Values(lines)), "\n")+"\n"+aComparison+"\n")); err != nil {
		t.Fatal(err)
	}
	if len(r.Comparisons) != len(lines) || len(r.Lines) != len(lines) {
		t.Errorf("%d comparisons of %d lines, want %d", len(r.Comparisons), len(r.Lines), len(lines))
	}
}

func TestSetRefusesComparisons(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"bare":              {`{"schema":"getio.compare/1"}`, `of the unknown metric ""`},
		"no metric":         {changed(t, aComparison, `"ios_per_get"`, `"filters"`), `of the unknown metric "filters"`},
		"no verdict":        {changed(t, aComparison, `"less"`, `"better"`), `with the unknown verdict "better"`},
		"no label":          {changed(t, aComparison, `"label":"A"`, `"label":" "`), `whose labels, " " and "B", are empty or alike`},
		"no other label":    {changed(t, aComparison, `"label":"B"`, `"label":""`), `whose labels, "A" and "", are empty or alike`},
		"one label":         {changed(t, aComparison, `"label":"B"`, `"label":"A"`), `whose labels, "A" and "A", are empty or alike`},
		"one round":         {changed(t, aComparison, `"rounds":2`, `"rounds":1`), "of 1 rounds, not two or more"},
		"endless rounds":    {changed(t, anUnbelievable, `"rounds":2`, `"rounds":9000000000000000000`), "of 9000000000000000000 rounds"},
		"a round more":      {changed(t, aComparison, `"rounds":2`, `"rounds":3`), `without the figures of "A" in each of 3 rounds`},
		"a round less":      {changed(t, aComparison, `[0.9,1.1],"drift"`, `[0.9],"drift"`), `without the figures of "B" in each of 2 rounds`},
		"no Gets":           {changed(t, aComparison, `"gets":10`, `"gets":0`), "without Gets"},
		"no time":           {changed(t, aComparison, `"time":"2026-11-22T12:00:00Z",`, ""), "without its time"},
		"no workers at all": {changed(t, aComparison, `"workers":2`, `"workers":0`), "without Gets"},
		"fewer hits":        {changed(t, aComparison, `"hit_fraction":1`, `"hit_fraction":-0.5`), "with an impossible share of existing keys, -0.5"},
		"endless share":     {changed(t, aComparison, `"fraction_of_db":0.1`, `"fraction_of_db":1e308`), "1e+308 of the database"},
		"endless mean":      {changed(t, aComparison, `"mean":2,"ci95":[-10,14]`, `"mean":1.5e6,"ci95":[-10,1.6e6]`), `with an impossible interval of "A"`},
		"over the interval": {changed(t, aComparison, `[-10,14]`, `[-10,1.9]`), `with an impossible interval of "A"`},
		"another mean":      {changed(t, aComparison, `"mean":2,`, `"mean":2.1,`), "whose means are not those of its rounds"},
		"another of B":      {changed(t, aComparison, `{"mean":1,`, `{"mean":1.05,`), "whose means are not those of its rounds"},
		"another between":   {changed(t, aComparison, `"mean":-1,`, `"mean":-0.9,`), "whose means are not those of its rounds"},
		"another ratio":     {changed(t, aComparison, `0.5138093031466052`, `0.5`), "whose means are not those of its rounds"},
		"nothing but moves": {changed(t, aComparison, aDrift, moving), `whose verdict, "less", is not`},
		"at rest after all": {changed(t, aComparison, `"less"`, `"not_steady"`), `whose verdict, "not_steady", is not`},
		"no more drift":     {changed(t, aComparison, `,"drift":{"mean":0.1,"ci95":[-0.2,0.4]}`, ""), `whose verdict, "less", is not`},
		"unbelieved by":     {changed(t, anUnbelievable, `"verdict"`, `"difference":{"mean":1,"ci95":[1,1]},"verdict"`), "with figures of runs that failed"},
		"unbelieved part":   {changed(t, anUnbelievable, `"ios_per_get"`, `"data"`), `of "data" in runs that failed a self-check`},
		"no workers":        {changed(t, aComparison, `"workers":2`, `"workers":-2`), "without Gets"},
		"more hits":         {changed(t, aComparison, `"hit_fraction":1`, `"hit_fraction":1.5`), "with an impossible share of existing keys, 1.5"},
		"less than a cache": {changed(t, aComparison, `"bytes":1000`, `"bytes":-1`), "with an impossible cache of -1 bytes"},
		"negative share":    {changed(t, aComparison, `"fraction_of_db":0.1`, `"fraction_of_db":-0.1`), "-0.1 of the database"},
		"no estimate":       {changed(t, aComparison, `"estimate":{"mean":1,"ci95":[0.9,1.1]},`, ""), `without the figures of "B"`},
		"negative round":    {changed(t, aComparison, `[1.5,2.5]`, `[-1.5,2.5]`), "says -1.5 ios_per_get"},
		"endless round":     {changed(t, aComparison, `[1.5,2.5]`, `[1.5,1e300]`), "says 1e+300 ios_per_get"},
		"negative mean":     {changed(t, aComparison, `"mean":2,`, `"mean":-2,`), `with an impossible interval of "A"`},
		"endless interval":  {changed(t, aComparison, `[-10,14]`, `[-1e300,14]`), `with an impossible interval of "A"`},
		"outside":           {changed(t, aComparison, `[-10,14]`, `[3,14]`), `with an impossible interval of "A"`},
		"endless drift":     {changed(t, aComparison, `[-0.4,0.2]`, `[-0.4,1e300]`), `with an impossible interval of "B"`},
		"no difference":     {changed(t, aComparison, `"difference":{"mean":-1,"ci95":[-1.5,-0.5]},`, ""), "without its difference"},
		"endless":           {changed(t, aComparison, `[-1.5,-0.5]`, `[-1.5,1e300]`), "with an impossible difference"},
		"no ratio":          {changed(t, aComparison, aRatio, ""), "without its ratio"},
		"ratio to nothing":  {changed(t, aComparison, `[1.5,2.5]`, `[0,2.5]`), "with a ratio to 0"},
		"negative ratio":    {changed(t, aComparison, `[0.4,0.6]`, `[-0.4,0.6]`), "with an impossible difference"},
		"ratio outside":     {changed(t, aComparison, `[0.4,0.6]`, `[0.6,0.4]`), "with an impossible difference"},
		"less is more":      {changed(t, aComparison, `"less"`, `"more"`), `whose verdict, "more", is not what its figures say`},
		"less is none":      {changed(t, aComparison, `"less"`, `"none"`), `whose verdict, "none", is not`},
		"no less":           {changed(t, aComparison, `[0.4,0.6]`, `[0.4,1.6]`), `whose verdict, "less", is not`},
		"no drift":          {changed(t, aComparison, aDrift, ""), `whose verdict, "less", is not`},
		"unsteady by what":  {changed(t, aComparison, aDrift, "", `"less"`, `"not_steady"`), `whose verdict, "not_steady", is not`},
		"known after all":   {changed(t, aComparison, `"less"`, `"not_known_to_be_steady"`), `whose verdict, "not_known_to_be_steady", is not`},
		"unbelieved":        {changed(t, aComparison, `"less"`, `"unbelievable"`), "with figures of runs that failed a self-check"},
		"unbelieved base":   {changed(t, anUnbelievable, `"label":"A"`, `"label":"A","by_round":[1,2]`), "with figures of runs that failed"},
		"unbelieved side":   {changed(t, anUnbelievable, `"label":"B"`, `"label":"B","estimate":{"mean":1,"ci95":[1,1]}`), "with figures of runs that failed"},
		"unbelieved ratio":  {changed(t, anUnbelievable, `"verdict"`, `"ratio":{"mean":1,"ci95":[1,1]},"verdict"`), "with figures of runs that failed"},
		"wrong type":        {changed(t, aComparison, `"rounds":2`, `"rounds":"2"`), "is not a valid getio.compare/1 record"},
	} {
		path := write(t, aResult+"\n"+c.line+"\n")
		err := new(Set).ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path+", line 2 ") || !strings.HasSuffix(err.Error(), "remove the line, or name another file") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
