package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// Plan writes the cells of a plan and what each is expected to need.
func Plan(w io.Writer, cells []record.CellOutline) error {
	var out printer
	if cells[0].Store != nil {
		planOfStores(&out, cells)
	} else {
		planOfRuns(&out, cells)
	}
	return out.writeTo(w)
}

func planOfRuns(out *printer, cells []record.CellOutline) {
	header := []string{"cell", "cache", "time", "CPU time", "memory", "disk"}
	rounds := cells[0].Rounds > 0
	if rounds {
		header = slices.Insert(header, 2, "round")
	}
	g := &textTable{header: header}
	for _, c := range cells {
		need := c.Needs
		row := []string{
			strconv.Itoa(c.Number), units.Size(c.CacheBytes), between(need.Hours, time.Hour), between(need.CPUSeconds, time.Second),
			units.Size(need.MemoryBytes), units.Size(need.DiskBytes),
		}
		if rounds {
			row = slices.Insert(row, 2, fmt.Sprintf("%d of %d", c.Round, c.Rounds))
		}
		g.add(row...)
	}
	out.table(g)
	out.blank()
	need := cells[0].Needs
	out.prose(fmt.Sprintf("Predicted. Times are extrapolated from %s, for %s that %s nothing else to do. The upper time of a range is for the longest run that the cell may make. "+
		"Memory is 1.25 × the cache + 80 MiB (140 MiB for a database that getio did not make), without the page cache. Disk is the size of the datasets.",
		need.Basis, units.Plural(int64(need.Processors), "processor"), have(need.Processors)))
}

// planOfStores writes the cells of a comparison of state databases.
func planOfStores(out *printer, cells []record.CellOutline) {
	g := &textTable{header: []string{"cell", "store", "version", "keys", "memory", "disk"}, left: []int{1, 2}}
	for _, c := range cells {
		s, need := c.Store, c.Needs
		g.add(strconv.Itoa(c.Number), units.OneLine(s.Label), shortened(units.OneLine(s.Version), 20), units.Comma(int64(s.Keys)), units.Size(need.MemoryBytes), units.Size(need.DiskBytes))
	}
	out.table(g)
	out.blank()
	out.prose("Memory and disk are predicted, and time is not. Memory is of getio and the adapter, without the page cache: 1.25 times the caches of the load, 256 MiB, and what " +
		"the adapter says that it needs for each key; of stores here that take more, as measured with up to 2M keys. " +
		"Disk is what the store takes while it is loaded, and 1 GiB, unless --size says otherwise.")
}

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
