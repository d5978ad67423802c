package report

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// Plan writes the cells of a plan and what each is expected to need.
func Plan(w io.Writer, cells []record.CellOutline) error {
	out := newPrinter(w)
	if cells[0].Store != nil {
		planOfStores(out, cells)
	} else {
		planOfRuns(out, cells)
	}
	return out.flush()
}

func planOfRuns(out *printer, cells []record.CellOutline) {
	out.table(newTable(cells,
		col("cell", func(c record.CellOutline) string { return strconv.Itoa(c.Number) }),
		col("cache", func(c record.CellOutline) string { return units.Size(c.CacheBytes) }),
		col("round", func(c record.CellOutline) string { return fmt.Sprintf("%d of %d", c.Round, c.Rounds) }).when(cells[0].Rounds > 0),
		col("time", func(c record.CellOutline) string { return between(c.Needs.Hours, time.Hour) }),
		col("CPU time", func(c record.CellOutline) string { return between(c.Needs.CPUSeconds, time.Second) }),
		col("memory", memoryNeeded),
		col("disk", diskNeeded)))
	out.blank()
	need := cells[0].Needs
	out.prose(fmt.Sprintf("Predicted. Times are extrapolated from %s, for %s that %s nothing else to do. The upper time of a range is for the longest run that the cell may make. "+
		"Memory is 1.25 × the cache + 80 MiB (140 MiB for a database that getio did not make), without the page cache. Disk is the size of the datasets.",
		need.Basis, units.Plural(int64(need.Processors), "processor"), have(need.Processors)))
}

// planOfStores writes the cells of a comparison of state databases.
func planOfStores(out *printer, cells []record.CellOutline) {
	out.table(newTable(cells,
		col("cell", func(c record.CellOutline) string { return strconv.Itoa(c.Number) }),
		col("store", func(c record.CellOutline) string { return units.OneLine(c.Store.Label) }).left(),
		col("version", func(c record.CellOutline) string { return shortened(units.OneLine(c.Store.Version), 20) }).left(),
		col("keys", func(c record.CellOutline) string { return units.Comma(int64(c.Store.Keys)) }),
		col("memory", memoryNeeded),
		col("disk", diskNeeded)))
	out.blank()
	out.prose("Memory and disk are predicted, and time is not. Memory is of getio and the adapter, without the page cache: 1.25 times the caches of the load, 256 MiB, and what " +
		"the adapter says that it needs for each key; of stores here that take more, as measured with up to 2M keys. " +
		"Disk is what the store takes while it is loaded, and 1 GiB, unless --size says otherwise.")
}

func memoryNeeded(c record.CellOutline) string { return units.Size(c.Needs.MemoryBytes) }
func diskNeeded(c record.CellOutline) string   { return units.Size(c.Needs.DiskBytes) }

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// between prints a range of times in a unit, or one time where its ends are printed alike.
func between(ends [2]float64, unit time.Duration) string {
	print := func(n float64) string {
		d := time.Duration(n * float64(unit))
		return d.Round(max(time.Second, d.Truncate(time.Hour)/100)).String()
	}
	least, most := print(ends[0]), print(ends[1])
	if least == most {
		return least
	}
	return least + " to " + most
}
