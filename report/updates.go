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
	g := textTable{header: []string{"window", "I/Os\nper Get", "keys\nwritten", "L0\ntables", "L0\nsublevels", "under\nway", "flushes", "compac-\ntions", "stalls", "others'\nreads", "others'\nbytes"}, spare: []int{10, 5, 4}}
	for i, w := range windows {
		g.add(fmt.Sprint(i+1), units.IOs(w.IOsPerGet), units.Comma(w.Writes), units.Comma(w.L0Tables), units.Comma(w.L0Sublevels),
			units.Comma(w.Running), units.Comma(w.Flushes), units.Comma(w.Compactions), units.Comma(w.Stalls),
			units.Comma(w.OthersReads), units.Size(w.OthersBytes))
	}
	p.table(&g)
}
