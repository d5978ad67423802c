package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// Advice writes an answer on one screen.
func Advice(w io.Writer, a *record.Advice) error {
	p := newPrinter(w)
	total := a.Shape.Total()
	extent := units.Plural(total.Tables, "table")
	if total.Records > 0 { // LevelDB's tables do not say how many they hold
		extent = units.Count(total.Records) + " records in " + extent
	}
	if total.Bytes > 0 {
		extent += ", " + units.Size(total.Bytes)
	}
	p.field("Database", fmt.Sprintf("%s, read by %s: %s; IP1 %s, IP2 %s.", a.Source, a.Library, extent, units.Size(a.Shape.IP1Bytes), units.Size(a.Shape.IP2Bytes)))
	p.field("Gets", advisedGets(a))
	for _, warning := range a.Warnings {
		p.field("Warning", warning)
	}
	for i, line := range answers(a) {
		p.field([]string{"Answer", ""}[min(i, 1)], line)
	}
	p.blank()
	adviceTable(p, a)
	p.blank()
	changeTable(p, a)
	for i, waste := range a.Waste {
		p.field([]string{"Wasted", ""}[min(i, 1)], wasteText(a, waste))
	}
	p.field("Figures", adviceFigures(a))
	return p.flush()
}

// answers returns the answers to what was asked, in words.
func answers(a *record.Advice) (lines []string) {
	present, memory, target := adviceFor(a, record.ReasonPresent), adviceFor(a, record.ReasonMemory), adviceFor(a, record.ReasonTarget)
	if present != nil {
		lines = append(lines, fmt.Sprintf("The present cache gives %s; it %s.", costAndError(present), cacheContents(present)))
	}
	other := otherCache(a, present)
	if other {
		lines = append(lines, fmt.Sprintf("While it was watched, the client made %.3f I/Os per Get. If its block cache is not %s, name its size with --cache; if it is, watch it for longer (--for).",
			*a.Trial.IOsPerGet, units.Size(present.Cache.Bytes)))
	}
	if memory != nil {
		lines = append(lines, fmt.Sprintf("A cache of all of --memory gives %s; it %s.", costAndError(memory), cacheContents(memory)))
	}
	switch c := adviceFor(a, record.ReasonWorth); {
	case c == nil:
	case present != nil && !other && c.Cache.Bytes <= present.Cache.Bytes:
		lines = append(lines, fmt.Sprintf("The present cache is large enough: %s would already save nine tenths of what any cache can save.", units.Size(c.Cache.Bytes)))
	default:
		lines = append(lines, fmt.Sprintf("%s saves nine tenths of what any cache can save: %s.", cacheWords(c), costAndError(c)))
	}
	switch {
	case a.Target == 0:
	case target == nil:
		lines = append(lines, fmt.Sprintf("No reasonable cache reaches %g I/Os per Get.", a.Target))
	case memory != nil && target.Cache.Bytes > memory.Cache.Bytes:
		lines = append(lines, fmt.Sprintf("%g I/Os per Get need %s, more than --memory.", a.Target, cacheWords(target)))
	case present != nil && target.Cache.Bytes <= present.Cache.Bytes:
		lines = append(lines, fmt.Sprintf("For %g I/Os per Get, %s is enough.", a.Target, cacheWords(target)))
	default:
		lines = append(lines, fmt.Sprintf("For %g I/Os per Get, take %s.", a.Target, cacheWords(target)))
	}
	if c := adviceFor(a, record.ReasonNextGiB); c != nil && present != nil && !other {
		lines = append(lines, fmt.Sprintf("A GiB more than %s saves %.3f I/Os per Get.", gibAfter(memory), saved(a, c)))
	}
	if line := gethLimit(a); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// advisedGets says which Gets the advice is for.
func advisedGets(a *record.Advice) string {
	w := &a.Workload
	count := fmt.Sprintf("%s after %s to warm up", units.Count(w.Gets), units.Count(w.WarmupGets))
	switch {
	case a.Trial != nil && a.Trial.Live:
		return "those that the client made while it was watched: " + count + "."
	case w.Trace != "" && w.Sample > 1:
		return fmt.Sprintf("%s of %s, of one in %d ranges of neighbouring keys; they stand for all Gets.", count, units.OneLine(w.Trace), w.Sample)
	case w.Trace != "":
		return count + " of " + units.OneLine(w.Trace) + "."
	case w.KeysFile != "":
		return count + " of keys that " + units.OneLine(w.KeysFile) + " lists."
	case ownGets(a) && w.Popularity.Uniform():
		return fmt.Sprintf("%s, %s of them of keys that exist.", count, units.Percent(w.HitFraction))
	case ownGets(a):
		return fmt.Sprintf("%s %s, %s of them of keys that exist.", count, popularKeys(w.Popularity), units.Percent(w.HitFraction))
	}
	return "of existing keys, all equally popular. A client asks for some keys more often, and usually reads less."
}

// ownGets tells the Gets of a real workload from simulated ones of equally popular keys.
func ownGets(a *record.Advice) bool { return a.Workload.Gets > 0 }

// saved returns the I/Os per Get that a cache saves against that of the question.
func saved(a *record.Advice, c *record.AdvisedCache) float64 {
	now := adviceFor(a, record.ReasonPresent)
	if memory := adviceFor(a, record.ReasonMemory); memory != nil {
		now = memory
	}
	return now.IOsPerGet.Predicted - c.IOsPerGet.Predicted
}

func gibAfter(memory *record.AdvisedCache) string {
	if memory != nil {
		return "--memory"
	}
	return "the present cache"
}

// gethLimit says which caches geth does not take on the machine; empty if all listed can be had with
// the default --cache.database.
func gethLimit(a *record.Advice) string {
	g := a.Geth
	if g == nil || !slices.ContainsFunc(a.Caches, func(c *record.AdvisedCache) bool { return c.GethCacheMiB == 0 || c.GethDatabase > 0 }) {
		return ""
	}
	return fmt.Sprintf("geth %s limits --cache to a third of the memory: %s on a machine of %s. For a larger block cache, raise --cache.database above 50: to the percentage beside --cache in the table. geth's other caches keep their shares.",
		g.Version, fmt.Sprint(g.MostCacheMiB), units.Size(g.MemoryBytes))
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
		return fmt.Sprintf("%s I/Os per Get (see off by: %s)", predictedCost(c), units.SignedPercent(*e))
	}
	return predictedCost(c) + " I/Os per Get"
}

// A prediction is wrong about a watched client if it is off by more than the share liveError of what
// the client read, and by more than liveDifference I/Os per Get.
const (
	liveError      = 0.2
	liveDifference = 0.05
)

// otherCache reports whether a watched client probably has another cache than the one of the prediction.
func otherCache(a *record.Advice, present *record.AdvisedCache) bool {
	if present == nil || a.Trial == nil || a.Trial.IOsPerGet == nil {
		return false
	}
	live := *a.Trial.IOsPerGet
	return math.Abs(present.IOsPerGet.Predicted-live) > max(liveError*live, liveDifference)
}

// cacheContents says what a cache holds, by the limits that the rows of the table use.
func cacheContents(c *record.AdvisedCache) string {
	misses := func(component string) float64 { return c.Components[component].Misses }
	upper := misses(record.Filter) + misses(record.TopIndex)
	switch {
	case upper > record.PlateauReads:
		return "does not hold all filters and top indexes"
	case upper+misses(record.Index) > record.PlateauReads:
		return "holds filters and top indexes, not all index blocks"
	}
	return "holds all index blocks"
}

func cacheWords(c *record.AdvisedCache) string {
	switch {
	case c.GethCacheMiB == 0:
		return units.Size(c.Cache.Bytes)
	case c.BelowGeth():
		return fmt.Sprintf("%s (less than geth's smallest, --cache %d)", units.Size(c.Cache.Bytes), c.GethCacheMiB)
	case c.GethDatabase > 0:
		return fmt.Sprintf("%s (geth --cache %d --cache.database %d)", units.Size(c.Cache.Bytes), c.GethCacheMiB, c.GethDatabase)
	}
	return fmt.Sprintf("%s (geth --cache %d)", units.Size(c.Cache.Bytes), c.GethCacheMiB)
}

// adviceTable has a row for each cache. Nothing says when Gets of the user's own would be steady.
func adviceTable(p *printer, a *record.Advice) {
	own := ownGets(a)
	p.table(newTable(a.Caches,
		col("cache", func(c *record.AdvisedCache) string { return units.Size(c.Cache.Bytes) }),
		col("geth\n--cache", gethCell).when(ofGeth(a)),
		col("I/Os\n/Get", predictedCost),
		col("±", func(c *record.AdvisedCache) string { return units.Thousandths(c.IOsPerGet.SamplingError) }).when(own),
		col("off by", offBy),
		col("bytes\n/Get", func(c *record.AdvisedCache) string { return figure(c.BytesPerGet, whole) }).when(!own),
		col("Gets to\nsteady", getsToSteady).when(!own),
		col("what for", func(c *record.AdvisedCache) string { return purposes(a, c) }).asProse()))
}

func getsToSteady(c *record.AdvisedCache) string {
	if c.GetsToSteady == nil {
		return "longer"
	}
	return units.Count(*c.GetsToSteady)
}

// ofGeth tells whether caches are also given as geth's setting.
func ofGeth(a *record.Advice) bool {
	return slices.ContainsFunc(a.Caches, func(c *record.AdvisedCache) bool { return c.GethCacheMiB > 0 })
}

// gethCell is --cache and, unless it is the default, --cache.database.
func gethCell(c *record.AdvisedCache) string {
	switch {
	case c.GethCacheMiB == 0:
		return units.Absent
	case c.BelowGeth():
		return fmt.Sprintf("<%d", c.GethCacheMiB)
	case c.GethDatabase > 0:
		return fmt.Sprintf("%d, %d%%", c.GethCacheMiB, c.GethDatabase)
	}
	return fmt.Sprint(c.GethCacheMiB)
}

func offBy(c *record.AdvisedCache) string {
	if e := c.IOsPerGet.Error; e != nil {
		return units.SignedPercent(*e)
	}
	return units.Absent
}

func purposes(a *record.Advice, c *record.AdvisedCache) string {
	words := map[string]string{
		record.ReasonPresent: "its present cache",
		record.ReasonMemory:  "--memory",
		record.ReasonDouble:  "twice as much",
		record.ReasonFilters: "holds filters and top indexes",
		record.ReasonIndexes: "holds index blocks too",
		record.ReasonTarget:  fmt.Sprintf("%g I/Os per Get", a.Target),
		record.ReasonNextGiB: "a GiB more",
		record.ReasonWorth:   "nine tenths of what any cache saves",
	}
	var list []string
	for _, purpose := range c.Reasons {
		list = append(list, words[purpose])
	}
	return strings.Join(list, "; ")
}

func changeTable(p *printer, a *record.Advice) {
	const printed = 0.0005 // less is printed as 0.000
	if !slices.ContainsFunc(a.Changes, func(c *record.Change) bool { return max(c.Now, c.Then) >= printed }) {
		return // the cache holds the database
	}
	p.table(newTable(a.Changes,
		col("changed, with "+units.Size(a.Changes[0].CacheBytes), func(c *record.Change) string { return c.What }),
		col("Gets of", func(c *record.Change) string { return c.Keys + " keys" }).left(),
		col("I/Os\nnow", func(c *record.Change) string { return decimals(c.Now) }),
		col("I/Os\nthen", func(c *record.Change) string { return decimals(c.Then) }),
		col("off by", func(c *record.Change) string {
			return figure(c.Error, func(e float64) string { return "±" + units.Percent(e) })
		}),
		col("effect", changeEffect).left()))
	p.prose("Pebble's Get never consults filters of L6, whatever is set: last_level_filter=on shows what that would change.")
	p.blank()
}

// changeEffect says by how much a change moves I/Os per Get, if that is more than the figures
// are off by.
func changeEffect(c *record.Change) string {
	if c.Now == 0 {
		return units.Absent
	}
	effect := c.Then/c.Now - 1
	if c.Error != nil && math.Abs(effect) <= *c.Error {
		return "within error"
	}
	return units.SignedPercent(effect)
}

func wasteText(a *record.Advice, w *record.Waste) string {
	switch w.What {
	case record.WasteFilters:
		return fmt.Sprintf("The filters of L6 take %s on disk, and no Get consults them; they take no cache.", units.Size(w.Amount))
	case record.WasteHandles:
		least := "at least " // the library may also close tables that are visited often
		if ownGets(a) {
			least = ""
		}
		tables := "Not all tables stay open"
		if w.Amount > 0 {
			tables = units.Plural(w.Amount, "table") + " more than may be open at a time"
		}
		return fmt.Sprintf("%s: opening them again costs %s%.3f I/Os per Get; raise the limit of open files.", tables, least, *w.IOsPerGet)
	case record.WasteLevel0:
		return fmt.Sprintf("L0 still has %s, which compactions will remove: %.3f I/Os per Get.", units.Plural(w.Amount, "sublevel"), *w.IOsPerGet)
	}
	return w.What
}

// adviceFigures says how the figures were obtained.
func adviceFigures(a *record.Advice) string {
	text := "predicted from the shape of the tree, steady; "
	switch {
	case ownGets(a):
		text = "the Gets were made once on the database's tables, and their accesses sent through simulated caches of all sizes, from empty ones; " + ownCheck(a)
	case a.Trial == nil:
		text += "not checked with Gets of a database."
	default:
		text += fmt.Sprintf("off by: how far the prediction is from %s Gets of the database, made after %s to fill an empty cache (seed %d).",
			units.Count(a.Trial.Gets), units.Count(a.Trial.WarmupGets), a.Trial.Seed)
	}
	if ofGeth(a) {
		division := "Pebble, and a quarter of that to two memtables"
		if a.Library == "goleveldb" {
			division = "LevelDB, and half of that to blocks"
		}
		text += fmt.Sprintf(" The cache is geth's block cache: half of --cache, at least %d MiB, goes to %s", record.GethLeastMiB, division)
		if a.FirstMemtable {
			text += "; but the client has not filled its first one, and they are small so far, which --cache allows for: once it writes, take a third more"
		}
		text += "."
	}
	text += variation(a)
	if len(a.Changes) > 0 {
		text += " The effects of changes come from a formula; their column off by says how far it is from the simulation for the unchanged tree."
	}
	return text
}

// variation says with which caches the reads of LevelDB vary between runs.
func variation(a *record.Advice) (text string) {
	if a.Library != "goleveldb" || a.Workload.Sample > 1 {
		return ""
	}
	for _, c := range a.Caches {
		if e := c.IOsPerGet.SamplingError; e != nil {
			text += fmt.Sprintf(" With %s, the I/Os per Get of LevelDB vary between runs by ±%.3f.", units.Size(c.Cache.Bytes), *e)
		}
	}
	return text
}

// ownCheck says what the prediction was compared with.
func ownCheck(a *record.Advice) string {
	switch {
	case a.Trial == nil:
		return "not checked with a measurement."
	case a.Trial.Live:
		return "off by: how far the figure is from the reads counted in the client, with its present cache."
	}
	return "off by: how far the figure is from a measurement of the same Gets with the library's own cache of that size."
}
