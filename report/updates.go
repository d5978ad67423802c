package report

import (
	"fmt"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// updatesSection writes which keys were overwritten meanwhile, the cost, and each window.
func updatesSection(p *printer, u *record.Updates) {
	p.field("Meanwhile", overwrittenText(u))
	if u.Before != nil {
		p.field("Before", fmt.Sprintf("%s I/Os per Get in the last window of the warm-up, without updates", units.IOs(*u.Before)))
	}
	p.field("Others read", othersText(u.ReadsOfOthers))
	p.field("Stalls", fmt.Sprintf("writes waited %s, %s of %s", units.Plural(u.Stalls.Count, "time"), seconds(u.Stalls.Seconds), seconds(u.Seconds)))
	s := u.Settling
	p.field("Tree", fmt.Sprintf("%s and %s meanwhile; %d and %d more until it had settled, %s later",
		units.Plural(u.Flushes, "flush", "flushes"), units.Plural(u.Compactions, "compaction"), s.Flushes, s.Compactions, seconds(s.Seconds)))
	w := u.Written
	p.field("Written", fmt.Sprintf("%s of tables, %s of log until then: write amplification %s, with the log %s",
		units.Size(w.Tables), units.Size(w.Logs), units.ThreeDigits(u.WriteAmplification.Tables), units.ThreeDigits(u.WriteAmplification.WithLog)))
	p.blank()
	windowTable(p, u.Windows)
}

// meanwhileText describes the updates that ran meanwhile; "" if there were none.
func meanwhileText(r *record.Result) string {
	if r.Updates == nil {
		return ""
	}
	return overwrittenText(r.Updates)
}

func overwrittenText(u *record.Updates) string {
	return fmt.Sprintf("%s overwritten (%s), %s", units.Plural(u.Writes, "key"), units.Size(u.Bytes), reachedText(u))
}

func reachedText(u *record.Updates) string {
	reached := units.Comma(int64(u.Reached))
	if u.Rate == 0 {
		return reached + " per second, unthrottled"
	}
	return fmt.Sprintf("%s per second of %s wanted", reached, units.Comma(int64(u.Rate)))
}

// othersText describes the reads by others than Gets, the components with most reads first.
func othersText(o record.OtherReads) string {
	text := fmt.Sprintf("%s, %s, for flushes and compactions", units.Plural(o.Reads, "block"), units.Size(o.Bytes))
	var parts []string
	for _, c := range record.ComponentNames {
		if reads := o.Components[c].Reads; reads > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", strings.ReplaceAll(c, "_", " "), units.Comma(reads)))
		}
	}
	if len(parts) == 0 {
		return text
	}
	return text + " (" + strings.Join(parts, ", ") + ")"
}

func seconds(s float64) string { return units.ThreeDigits(s) + " s" }

// windowTable has for each window the tree at its end and what happened in it.
func windowTable(p *printer, windows []record.UpdateWindow) {
	type row struct {
		number int
		record.UpdateWindow
	}
	var rows []row
	for i, w := range windows {
		rows = append(rows, row{i + 1, w})
	}
	count := func(name string, of func(row) int64) column[row] {
		return col(name, func(w row) string { return units.Comma(of(w)) })
	}
	p.table(newTable(rows,
		col("window", func(w row) string { return fmt.Sprint(w.number) }),
		col("I/Os\nper Get", func(w row) string { return units.IOs(w.IOsPerGet) }),
		count("keys\nwritten", func(w row) int64 { return w.Writes }),
		count("L0\ntables", func(w row) int64 { return w.L0Tables }),
		count("L0\nsublevels", func(w row) int64 { return w.L0Sublevels }).spareAs(3),
		count("under\nway", func(w row) int64 { return w.Running }).spareAs(2),
		count("flushes", func(w row) int64 { return w.Flushes }),
		count("compac-\ntions", func(w row) int64 { return w.Compactions }),
		count("stalls", func(w row) int64 { return w.Stalls }),
		count("others'\nreads", func(w row) int64 { return w.OthersReads }),
		col("others'\nbytes", func(w row) string { return units.Size(w.OthersBytes) }).spareAs(1)))
}
