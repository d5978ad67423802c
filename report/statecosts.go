package report

import (
	"fmt"
	"slices"

	"getio/numbers/units"
	"getio/record"
)

func stateCosts(p *printer, group []*record.State) {
	perKey := func(name, format string, of func(*record.State) float64) column[*record.State] {
		return col(name, func(r *record.State) string { return fmt.Sprintf(format, of(r)/float64(r.Keys)) })
	}
	p.table(newTable(group,
		col("store", storeName),
		col("version", func(r *record.State) string { return shortened(units.OneLine(r.Store.Version), 20) }).left().spareAs(2),
		perKey("on disk\nB/key", "%.0f", func(r *record.State) float64 { return float64(r.DiskBytes) }),
		col("memory\nMiB", memoryOf),
		col("load\nkeys/s", func(r *record.State) string { return units.Count(int64(float64(r.Keys) / r.Load.Seconds)) }).spareAs(1),
		perKey("load CPU\nus/key", "%.1f", func(r *record.State) float64 { return 1e6 * r.Load.CPUSeconds }).spareAs(3),
		col("written\nper byte", func(r *record.State) string { return amplification(r, r.Load, 1) }),
		col("proof\nbytes", func(r *record.State) string {
			if row := r.Row(record.LookupsWithProof); row != nil && row.ProofBytes > 0 {
				return whole(row.ProofBytes)
			}
			return units.Absent
		})))
	noteUnused(p, group)
}

// memoryOf is the memory of a store in MiB, marked if it includes unused memory.
func memoryOf(r *record.State) string {
	if r.AnonymousBytes <= 0 {
		return units.Absent
	}
	mark := ""
	if r.IncludesUnused() {
		mark = "*"
	}
	return fmt.Sprintf("%.1f%s", float64(r.AnonymousBytes)/(1<<20), mark)
}

// noteUnused explains the mark of memoryOf, if a record of a group has it.
func noteUnused(p *printer, group []*record.State) {
	if slices.ContainsFunc(group, func(r *record.State) bool { return r.AnonymousBytes > 0 && r.IncludesUnused() }) {
		p.text("unused memory", nil)
	}
}

// amplification is the bytes written for each byte of keys and values of a share of the keys.
func amplification(r *record.State, l record.StateLoad, share float64) string {
	if l.WrittenBytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(l.WrittenBytes)/(share*float64(r.Keys)*float64(r.KeySize+r.ValueSize)))
}

// stateWear writes what lookups cost after shares of the keys were overwritten, if any were.
func stateWear(p *printer, group []*record.State) {
	shares := sharesOf(group, func(r *record.State) (shares []float64) {
		for _, w := range r.Worn {
			shares = append(shares, w.Share)
		}
		return shares
	})
	if len(shares) == 0 {
		return
	}
	rows := lookupRows(slices.DeleteFunc(slices.Clone(group), func(r *record.State) bool { return len(r.Worn) == 0 }))
	columns := []column[lookupRow]{col("store", lookupRow.store), col("lookups of", lookupRow.kind).left(), col("cold\nas loaded", lookupRow.cold)}
	for _, share := range shares {
		columns = append(columns, col(fmt.Sprintf("%g%% over-\nwritten", 100*share), func(l lookupRow) string {
			if worn, _ := l.wornTo(share); worn != nil && l.nth < len(worn.Rows) {
				return fmt.Sprintf("%.2f", worn.Rows[l.nth].Cold.Reads)
			}
			return units.Absent
		}))
	}
	for nth, share := range shares {
		// What a store takes stands in its first row.
		costs := func(name string, of func(l lookupRow, worn *record.StateWorn, before float64) string) column[lookupRow] {
			return col(name, func(l lookupRow) string {
				worn, before := l.wornTo(share)
				if l.nth > 0 || worn == nil || len(worn.Rows) == 0 {
					return ""
				}
				return of(l, worn, before)
			})
		}
		columns = append(columns,
			costs(fmt.Sprintf("at %g%%\nB/key", 100*share), func(l lookupRow, worn *record.StateWorn, _ float64) string {
				return whole(float64(worn.DiskBytes) / float64(l.of.Keys))
			}),
			costs("written\nper byte", func(l lookupRow, worn *record.StateWorn, before float64) string {
				return amplification(l.of, worn.Load, share-before)
			}).spareAs(nth+1))
	}
	p.text("worn", nil)
	p.table(newTable(rows, columns...))
}

// wornTo returns the store after that share of its keys was overwritten, nil if that was not measured, and the share
// before.
func (l lookupRow) wornTo(share float64) (worn *record.StateWorn, before float64) {
	for i := range l.of.Worn {
		if w := &l.of.Worn[i]; w.Share == share {
			return w, before
		}
		before = l.of.Worn[i].Share
	}
	return nil, 0
}
