package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

// Advice writes an answer on one screen.
func Advice(w io.Writer, a *record.Advice) error {
	p := newPrinter(w)
	t := newAdviceText(a)
	p.text("advice", t)
	p.each("Warning", a.Warnings)
	p.text("answers", t)
	p.blank()
	adviceTable(p, t)
	p.blank()
	changeTable(p, a)
	p.text("advice notes", t)
	return p.flush()
}

// adviceText is the data of the texts: the advice, and the caches that they name, nil for those that were not asked
// for.
type adviceText struct {
	*record.Advice
	Present, Reaching *record.AdvisedCache

	OwnGets    bool                   // computed from Gets that were made
	OfGeth     bool                   // caches are also given as geth's setting
	BeyondGeth bool                   // some listed caches cannot be had with the default --cache.database
	Varying    []*record.AdvisedCache // with which the reads of LevelDB vary between runs
}

func newAdviceText(a *record.Advice) *adviceText {
	t := &adviceText{
		Advice: a, Present: adviceFor(a, record.ReasonPresent), Reaching: adviceFor(a, record.ReasonTarget), OwnGets: a.Workload.Gets > 0,
	}
	for _, c := range a.Caches {
		t.OfGeth = t.OfGeth || c.GethCacheMiB > 0
		t.BeyondGeth = t.BeyondGeth || c.GethCacheMiB == 0 || c.GethDatabase > 0
		if a.Library == "goleveldb" && a.Workload.Sample <= 1 && c.IOsPerGet.Measured == nil && c.IOsPerGet.SamplingError != nil {
			t.Varying = append(t.Varying, c)
		}
	}
	return t
}

// MostOff returns the largest difference between computed and measured I/Os per Get.
func (t *adviceText) MostOff() (most float64) {
	for _, c := range t.Caches {
		most = max(most, math.Abs(c.IOsPerGet.Predicted-c.IOsPerGet.Known()))
	}
	return most
}

// A prediction is wrong about a watched client if it is off by more than the share liveError of what
// the client read, and by more than liveDifference I/Os per Get.
const (
	liveError      = 0.2
	liveDifference = 0.05
)

// OtherCache reports whether a watched client probably has another cache than the one of the prediction.
func (t *adviceText) OtherCache() bool {
	if t.Present == nil || t.Trial == nil || t.Trial.IOsPerGet == nil {
		return false
	}
	live := *t.Trial.IOsPerGet
	return math.Abs(t.Present.IOsPerGet.Predicted-live) > max(liveError*live, liveDifference)
}

// Advised returns the cache of the answer; nil if its device reads are not known.
func (t *adviceText) Advised() *record.AdvisedCache {
	return firstOf(t.Caches, func(c *record.AdvisedCache) bool {
		return t.Answer != nil && c.Cache.Bytes == t.Answer.CacheBytes && c.Memory != nil
	})
}

// A cache with fewer device reads is named if it saves more than fewerShare of them and fewerReads per Get.
const (
	fewerShare = 0.03
	fewerReads = 0.005
)

// notablyFewer returns the device reads below which a cache saves enough of the given ones to be named.
func notablyFewer(reads float64) float64 { return reads - max(fewerShare*reads, fewerReads) }

// SavesNoDeviceReads reports whether the answer is another cache than the present one that hardly saves device reads.
func (t *adviceText) SavesNoDeviceReads() bool {
	to := t.Advised()
	return to != nil && !t.Answer.Keep && t.Present != nil && t.Present.Memory != nil &&
		to.Memory.DeviceReadsPerGet > notablyFewer(t.Present.Memory.DeviceReadsPerGet)
}

// Fewest returns the cache with the fewest device reads; nil if the advised one makes about as few.
func (t *adviceText) Fewest() (fewest *record.AdvisedCache) {
	advised := t.Advised()
	if advised == nil {
		return nil
	}
	least := notablyFewer(advised.Memory.DeviceReadsPerGet)
	for _, c := range t.Caches {
		if c.Memory != nil && c.Memory.DeviceReadsPerGet < least {
			fewest, least = c, c.Memory.DeviceReadsPerGet
		}
	}
	return fewest
}

// Wasted returns what is wasted in one way, or nil.
func (t *adviceText) Wasted(what string) *record.Waste {
	return firstOf(t.Waste, func(w *record.Waste) bool { return w.What == what })
}

func adviceFor(a *record.Advice, purpose string) *record.AdvisedCache {
	return firstOf(a.Caches, func(c *record.AdvisedCache) bool { return slices.Contains(c.Reasons, purpose) })
}

// firstOf returns the first record of which a condition holds, or nil.
func firstOf[R any](all []*R, holds func(*R) bool) *R {
	if i := slices.IndexFunc(all, holds); i >= 0 {
		return all[i]
	}
	return nil
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

// adviceTable has a row for each cache. Nothing says when Gets of the user's own would be steady.
func adviceTable(p *printer, t *adviceText) {
	p.table(newTable(t.Caches,
		col("cache", func(c *record.AdvisedCache) string { return units.Size(c.Cache.Bytes) }),
		col("geth\n--cache", func(c *record.AdvisedCache) string { return say("geth --cache", c) }).when(t.OfGeth),
		col("I/Os\n/Get", func(c *record.AdvisedCache) string { return decimals(c.IOsPerGet.Known()) }),
		col("±", adviceHalf).ifKnown(),
		col("how", func(c *record.AdvisedCache) string { return howKnown(t.Advice, c) }).left(),
		col("device\nbytes\n/Get", func(c *record.AdvisedCache) string { return figure(c.PageBytesPerGet, units.MeanSize) }).ifKnown().spareAs(2),
		col("device\nreads\n/Get", func(c *record.AdvisedCache) string {
			return figure(c.Memory, func(m record.PredictedMemory) string { return decimals(m.DeviceReadsPerGet) })
		}).ifKnown(),
		col("Gets to\nsteady", getsToSteady).when(!t.OwnGets).spareAs(1),
		col("what for", func(c *record.AdvisedCache) string { return purposes(t.Advice, c) }).asProse()))
}

// KnowsPages reports whether the pages that Gets read are known.
func (t *adviceText) KnowsPages() bool {
	return slices.ContainsFunc(t.Caches, func(c *record.AdvisedCache) bool { return c.PageBytesPerGet != nil })
}

// adviceHalf is half of the interval of a measured figure, or the error of a computed one.
func adviceHalf(c *record.AdvisedCache) string {
	switch ios := &c.IOsPerGet; {
	case ios.Measured == nil:
		return units.Thousandths(ios.SamplingError)
	case ios.MeasuredCI95 != nil:
		return decimals(half(*ios.MeasuredCI95))
	}
	return units.Absent
}

func howKnown(a *record.Advice, c *record.AdvisedCache) string {
	switch {
	case c.IOsPerGet.Measured == nil:
		return "computed"
	case a.Trial != nil && a.Trial.Live && slices.Contains(c.Reasons, record.ReasonPresent):
		return "counted"
	}
	return "measured"
}

func getsToSteady(c *record.AdvisedCache) string {
	if c.GetsToSteady == nil {
		return "longer"
	}
	return units.Count(*c.GetsToSteady)
}

func purposes(a *record.Advice, c *record.AdvisedCache) string {
	words := map[string]string{
		record.ReasonPresent: "its present cache",
		record.ReasonHalf:    "half as much",
		record.ReasonDouble:  "twice as much",
		record.ReasonMost:    "the most that is of use",
		record.ReasonMemory:  "--memory",
		record.ReasonFilters: "holds filters and top indexes",
		record.ReasonIndexes: "holds index blocks too",
		record.ReasonTarget:  fmt.Sprintf("%g I/Os per Get", a.Target),
		record.ReasonWorth:   "90% of the largest possible saving",
	}
	return joined(c.Reasons, "; ", func(purpose string) string { return words[purpose] })
}

func changeTable(p *printer, a *record.Advice) {
	const printed = 0.0005 // less is printed as 0.000
	if !slices.ContainsFunc(a.Changes, func(c *record.Change) bool { return max(c.Now, c.Then) >= printed }) {
		return // the cache holds the database
	}
	// The best known figure of the cache, changed by the computed effect.
	of := firstOf(a.Caches, func(c *record.AdvisedCache) bool { return c.Cache.Bytes == a.Changes[0].CacheBytes })
	scaled := func(c *record.Change, ios float64) string {
		if of != nil && c.Keys == record.KeysExisting && c.Now > 0 {
			ios *= of.IOsPerGet.Known() / c.Now
		}
		return decimals(ios)
	}
	p.table(newTable(a.Changes,
		col("changed, with "+units.Size(a.Changes[0].CacheBytes), func(c *record.Change) string { return c.What }),
		col("Gets of", func(c *record.Change) string { return c.Keys + " keys" }).left(),
		col("I/Os\nnow", func(c *record.Change) string { return scaled(c, c.Now) }),
		col("I/Os\nthen", func(c *record.Change) string { return scaled(c, c.Then) }),
		col("off by", func(c *record.Change) string {
			return figure(c.Error, func(e float64) string { return "±" + units.Percent(e) })
		}),
		col("effect", changeEffect).left()))
	p.text("last level filters", nil)
	p.blank()
}

// changeEffect says by how much a change moves I/Os per Get, if that is more than the figures are off by.
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
