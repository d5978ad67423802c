package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"getio/experiment/cell"
	"getio/numbers/units"
	"getio/record"
)

// Plan writes the cells of a plan and what each is expected to need.
func Plan(w io.Writer, p *cell.Plan) error {
	var out printer
	if p.Cells[0].State != nil {
		planOfStores(&out, p)
	} else {
		planOfRuns(&out, p)
	}
	return out.writeTo(w)
}

func planOfRuns(out *printer, p *cell.Plan) {
	header := []string{"cell", "cache", "time", "CPU time", "memory", "disk"}
	rounds := p.Cells[0].Rounds > 0
	if rounds {
		header = slices.Insert(header, 2, "round")
	}
	g := &textTable{header: header}
	for _, c := range p.Cells {
		need := c.Predicted
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
	need := p.Cells[0].Predicted
	out.prose(fmt.Sprintf("Predicted. Times are extrapolated from %s, for %s that %s nothing else to do. The upper time of a range is for the longest run that the cell may make. "+
		"Memory is 1.25 × the cache + 80 MiB (140 MiB for a database that getio did not make), without the page cache. Disk is the size of the datasets.",
		need.Basis, units.Plural(int64(need.Processors), "processor"), have(need.Processors)))
}

// planOfStores writes the cells of a comparison of state databases.
func planOfStores(out *printer, p *cell.Plan) {
	g := &textTable{header: []string{"cell", "store", "version", "keys", "memory", "disk"}, left: []int{1, 2}}
	for _, c := range p.Cells {
		s, need := c.State, c.Predicted
		g.add(strconv.Itoa(c.Number), units.OneLine(s.Label), shortened(units.OneLine(s.Adapter.Version), 20), units.Comma(int64(s.Keys)), units.Size(need.MemoryBytes), units.Size(need.DiskBytes))
	}
	out.table(g)
	out.blank()
	disk := "Disk is a private disk, which is allocated as a whole, and is doubled if it proves too small."
	switch s := p.Cells[0].State; {
	case s.DiskBytes > 0:
		disk = "Disk is the private disk, which is allocated as a whole."
	case s.Counted == record.CountedInside:
		disk = "Disk is what the store takes at most, while it is loaded."
	}
	out.prose("Memory and disk are predicted, and time is not. Memory is of getio and the adapter: 1.25 times the caches of the load, " +
		"256 MiB, and what the store says that it needs for each key, without the page cache. " + disk)
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
