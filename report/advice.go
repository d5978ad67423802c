package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
	"getio/tree/readpath"
)

// Advice writes an answer on one screen.
func Advice(w io.Writer, a *record.Advice) error {
	var p printer
	total := a.Shape.Total()
	extent := fmt.Sprintf("%s records in %s", units.Count(total.Records), units.Plural(total.Tables, "table"))
	if total.Bytes > 0 {
		extent += ", " + units.Size(total.Bytes)
	}
	p.field("Database", fmt.Sprintf("%s, read by %s: %s; IP1 %s, IP2 %s.", a.Source, a.Library, extent, units.Size(a.Shape.IP1Bytes), units.Size(a.Shape.IP2Bytes)))
	for i, line := range answers(a) {
		p.field([]string{"Answer", ""}[min(i, 1)], line)
	}
	p.blank()
	adviceTable(&p, a)
	p.blank()
	changeTable(&p, a)
	for i, waste := range a.Waste {
		p.field([]string{"Wasted", ""}[min(i, 1)], wasteText(a, waste))
	}
	p.field("Figures", adviceFigures(a))
	return p.writeTo(w)
}

// answers returns the answers to what was asked, in words.
func answers(a *record.Advice) (lines []string) {
	present, memory, target := adviceFor(a, record.ReasonPresent), adviceFor(a, record.ReasonMemory), adviceFor(a, record.ReasonTarget)
	if present != nil {
		lines = append(lines, fmt.Sprintf("Its present cache makes %s; %s.", costAndError(present), cacheContents(present)))
	}
	if memory != nil {
		lines = append(lines, fmt.Sprintf("All of --memory makes %s; %s.", costAndError(memory), cacheContents(memory)))
	}
	switch {
	case target == nil:
		lines = append(lines, fmt.Sprintf("No reasonable cache makes %g.", a.Target))
	case memory != nil && target.Cache.Bytes > memory.Cache.Bytes:
		lines = append(lines, fmt.Sprintf("%g takes %s, more than --memory.", a.Target, cacheWords(target)))
	case present != nil && target.Cache.Bytes <= present.Cache.Bytes:
		lines = append(lines, fmt.Sprintf("For %g, %s is enough.", a.Target, cacheWords(target)))
	default:
		lines = append(lines, fmt.Sprintf("For %g take %s.", a.Target, cacheWords(target)))
	}
	return lines
}

func adviceFor(a *record.Advice, purpose string) *record.AdvisedCache {
	if i := slices.IndexFunc(a.Caches, func(c *record.AdvisedCache) bool { return slices.Contains(c.Reasons, purpose) }); i >= 0 {
		return a.Caches[i]
	}
	return nil
}

func predictedCost(c *record.AdvisedCache) string { return fmt.Sprintf("%.3f", c.IOsPerGet.Predicted) }

// notableError is the error from which on a prediction is printed with its error.
const notableError = 0.03

// costAndError is a prediction as an answer, with its error unless that is small.
func costAndError(c *record.AdvisedCache) string {
	if e := c.IOsPerGet.Error; e != nil && math.Abs(*e) > notableError {
		return fmt.Sprintf("%s I/Os per Get (%s off in the check below)", predictedCost(c), units.SignedPercent(*e))
	}
	return predictedCost(c) + " I/Os per Get"
}

// cacheContents says what a cache cacheContents, by the limits that the rows of the table use.
func cacheContents(c *record.AdvisedCache) string {
	misses := func(component readpath.Component) float64 { return c.Components[component.String()].Misses }
	upper := misses(readpath.Filter) + misses(readpath.TopIndex)
	switch {
	case upper > record.PlateauReads:
		return "it does not hold all filters and top indexes"
	case upper+misses(readpath.Index) > record.PlateauReads:
		return "it holds filters and top indexes, not all index blocks"
	}
	return "it holds all index blocks"
}

func cacheWords(c *record.AdvisedCache) string {
	if c.GethCacheMiB == 0 {
		return units.Size(c.Cache.Bytes)
	}
	return fmt.Sprintf("%s (geth --cache %d)", units.Size(c.Cache.Bytes), c.GethCacheMiB)
}

func adviceTable(p *printer, a *record.Advice) {
	g := textTable{header: []string{"cache", "geth\n--cache", "I/Os\n/Get", "off by", "bytes\n/Get", "Gets to\nsteady", "what for"}, left: []int{6}}
	for _, c := range a.Caches {
		geth, off, bytes, steady := units.Absent, units.Absent, units.Absent, "longer"
		if c.GethCacheMiB > 0 {
			geth = fmt.Sprint(c.GethCacheMiB)
		}
		if e := c.IOsPerGet.Error; e != nil {
			off = units.SignedPercent(*e)
		}
		if c.BytesPerGet != nil {
			bytes = fmt.Sprintf("%.0f", *c.BytesPerGet)
		}
		if c.GetsToSteady != nil {
			steady = units.Count(*c.GetsToSteady)
		}
		g.add(units.Size(c.Cache.Bytes), geth, predictedCost(c), off, bytes, steady, purposes(a, c))
	}
	p.table(&g)
}

func purposes(a *record.Advice, c *record.AdvisedCache) string {
	words := map[string]string{
		record.ReasonPresent: "its present cache",
		record.ReasonMemory:  "--memory",
		record.ReasonDouble:  "twice as much",
		record.ReasonFilters: "holds filters and top indexes",
		record.ReasonIndexes: "holds index blocks too",
		record.ReasonTarget:  fmt.Sprintf("%g I/Os per Get", a.Target),
	}
	var list []string
	for _, purpose := range c.Reasons {
		list = append(list, words[purpose])
	}
	return strings.Join(list, "; ")
}

func changeTable(p *printer, a *record.Advice) {
	if len(a.Changes) == 0 {
		return
	}
	g := textTable{header: []string{fmt.Sprintf("changed, with %s", units.Size(a.Changes[0].CacheBytes)), "Gets of", "I/Os\nnow", "I/Os\nthen", "off by"}, left: []int{1}}
	for _, c := range a.Changes {
		off := units.Absent
		if c.Error != nil {
			off = "±" + units.Percent(*c.Error)
		}
		g.add(c.What, c.Keys+" keys", fmt.Sprintf("%.3f", c.Now), fmt.Sprintf("%.3f", c.Then), off)
	}
	p.table(&g)
	p.prose("Pebble's Get never consults filters of L6, whatever is set: last_level_filter=on shows what that would change.")
	p.blank()
}

func wasteText(a *record.Advice, w *record.Waste) string {
	switch w.What {
	case record.WasteFilters:
		return fmt.Sprintf("%s of filters of L6 are on disk, which no Get consults; they take no cache.", units.Size(w.Amount))
	case record.WasteHandles:
		return fmt.Sprintf("%s more than may be open at a time: opening them again costs at least %.3f I/Os per Get; raise the limit of open files.",
			units.Plural(w.Amount, "table"), *w.IOsPerGet)
	case record.WasteLevel0:
		return fmt.Sprintf("L0 has %s that compactions have not settled: they cost %.3f I/Os per Get.", units.Plural(w.Amount, "sublevel"), *w.IOsPerGet)
	}
	return w.What
}

// adviceFigures says how the figures were obtained.
func adviceFigures(a *record.Advice) string {
	text := "predicted from the shape of the tree, steady, for existing keys, all equally popular (a client's are not: it reads less); "
	if a.Trial == nil {
		text += "not checked with Gets of a database."
	} else {
		text += fmt.Sprintf("off by: the prediction of %s Gets after %s to warm up, from an empty cache, against the database's own (seed %d).",
			units.Count(a.Trial.Gets), units.Count(a.Trial.WarmupGets), a.Trial.Seed)
	}
	if slices.ContainsFunc(a.Caches, func(c *record.AdvisedCache) bool { return c.GethCacheMiB > 0 }) {
		text += " The cache is geth's block cache: half of --cache goes to Pebble, and an eighth of that to a memtable."
	}
	if len(a.Changes) > 0 {
		text += " Changes are computed, not simulated; off by: the difference from the simulation, for the unchanged tree."
	}
	return text
}
