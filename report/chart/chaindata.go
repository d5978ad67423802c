package chart

import (
	"getio/numbers/units"
	"getio/record"
	"getio/report/study"
)

// operations charts the reads of a client's operations over cache sizes, with a line for each operation on each chain.
func operations(s *study.Study) Chart {
	c := Chart{
		Name: "operations", Title: "Reads of a client's operations by cache size", Judged: true,
		Note: "Reads of table files for one operation, without the freezer. Bands are 95% confidence intervals; hollow points are of runs that are not known to be steady.",
		X:    Axis{Label: "block cache", Unit: CacheBytes, Log: true},
		Y:    Axis{Label: "reads per operation", Unit: ReadsPerOperation},
	}
	taken := colours{} // an operation has one colour on all chains
	for _, chain := range s.Chains {
		for _, group := range study.ByOperation(chain.Runs) {
			name := group[0].OperationName()
			line := Line{Name: name, Kind: Measured, Colour: taken.next(name)}
			if len(s.Chains) > 1 {
				line.Name = named(chain.Name, name)
			}
			for _, r := range group {
				if !r.Checks.Hold() {
					continue
				}
				p := ios(&r.Reads)
				p.X, p.Share = float64(r.Cache.Bytes), shareOf(r.Cache)
				line.Points = append(line.Points, p)
			}
			c.line(line)
		}
	}
	return c
}

// level0Note explains charts over numbers of L0 tables.
const level0Note = " The X axis is the number of L0 tables on a chain. Beyond the cliff, where their indexes and filters no longer fit the block cache, a cache that evicts the least recently used block makes each Get read blocks of every table."

// level0 charts the reads of Gets, of getBlockByHash and of getTx over numbers of L0 tables.
func level0(s *study.Study) []Chart {
	return []Chart{
		overTables(s, Chart{Name: "l0", Title: "Reads of a Get by tables of L0", Note: "Gets of any key." + level0Note},
			record.L0Get),
		overTables(s, Chart{Name: "l0-block", Title: "Reads of getBlockByHash by tables of L0", Note: "Old blocks lie below L0, and recent ones in it." + level0Note},
			record.L0OldBlock, record.L0RecentBlock),
		overTables(s, Chart{Name: "l0-tx", Title: "Reads of getTx by tables of L0", Note: "Transactions of old blocks, which lie below L0, and of recent ones, which lie in it." + level0Note},
			record.L0OldTx, record.L0RecentTx),
	}
}

// overTables adds the reads of operations to a chart: a line for each operation and
// cache, with and without filters, on each chain.
func overTables(s *study.Study, c Chart, of ...string) Chart {
	c.X = Axis{Label: "tables of L0", Unit: Level0Tables}
	c.Y = Axis{Label: "reads per operation", Unit: ReadsPerOperation, Log: true}
	colour := 0
	for _, group := range s.Level0s {
		for _, r := range group.Runs {
			for _, name := range of {
				line := Line{Name: settingOf(r), Kind: Measured, Colour: colour}
				if len(of) > 1 {
					line.Name += ", " + name
				}
				if len(s.Level0s) > 1 {
					line.Name = named(group.Name, line.Name)
				}
				for _, row := range r.Rows {
					if o, made := row.Operations[name]; made && row.Checks.Hold() {
						p := ios(&o.Reads)
						p.X = float64(row.Tables)
						line.Points = append(line.Points, p)
					}
				}
				c.line(line)
			}
			colour++
		}
	}
	return c
}

func settingOf(r *record.Level0) string {
	return units.Size(r.Cache.Bytes) + ", " + units.If(!r.Filters, "no ") + "filters"
}
