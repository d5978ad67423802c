package report

import (
	"fmt"

	"getio/numbers/units"
	"getio/record"
)

// lookupRow is the lookups of one kind in a store, whose first row names it.
type lookupRow struct {
	of  *record.State
	nth int
	record.StateRow
	claimed string
}

// storeName is the name of a row, marked if the store was measured with an adapter outside getio's repository.
func storeName(r *record.State) string {
	if r.Provenance != nil {
		return units.OneLine(r.Label) + " †"
	}
	return units.OneLine(r.Label)
}

// lookupNames are the kinds of lookups in tables.
var lookupNames = map[string]string{
	record.LookupsOfExisting: "existing", record.LookupsOfAbsent: "absent", record.LookupsWithProof: "with proof",
}

func (l lookupRow) store() string { return ifAny(l.nth == 0, storeName(l.of)) }
func (l lookupRow) kind() string  { return lookupNames[l.Kind] }
func (l lookupRow) cold() string  { return fmt.Sprintf("%.2f", l.Cold.Reads) }
