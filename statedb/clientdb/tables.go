package clientdb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"getio/client/mdbxdata"
	"getio/engine/mdbxfile"
	"getio/record"
)

// chooseTables returns the named tables. Without names, it returns those of the schema that holds the
// most entries and, without any, the table with the most pages.
func chooseTables(db *mdbxfile.Database, names []string) (tables []mdbxfile.Table, err error) {
	if len(names) > 0 {
		for _, name := range names {
			t, ok := find(db, name)
			switch {
			case !ok:
				return nil, fmt.Errorf("no table %q: use --table with one of %s", name, tableNames(db))
			case t.Entries == 0:
				return nil, fmt.Errorf("table %q is empty: choose another one with --table", name)
			case slices.ContainsFunc(tables, func(q mdbxfile.Table) bool { return q.Name == t.Name }):
				return nil, fmt.Errorf("table %q is named twice: leave out one --table", name)
			}
			tables = append(tables, t)
		}
		return tables, nil
	}
	most := uint64(0)
	for _, schema := range mdbxdata.StateTables {
		var all []mdbxfile.Table
		entries := uint64(0)
		for _, name := range schema {
			if t, ok := find(db, name); ok && t.Entries > 0 {
				all = append(all, t)
				entries += t.Entries
			}
		}
		if entries > most {
			most, tables = entries, all
		}
	}
	if most > 0 {
		return tables, nil
	}
	if len(db.Tables) > 0 {
		largest := slices.MaxFunc(db.Tables, func(a, b mdbxfile.Table) int { return cmp.Compare(a.Pages(), b.Pages()) })
		if largest.Entries > 0 {
			return []mdbxfile.Table{largest}, nil
		}
	}
	return nil, fmt.Errorf("the database has no keys: choose one that a client has filled")
}

func find(db *mdbxfile.Database, name string) (mdbxfile.Table, bool) {
	i := slices.IndexFunc(db.Tables, func(t mdbxfile.Table) bool { return t.Name == name || mdbxfile.Printable(t.Name) == name })
	if i < 0 {
		return mdbxfile.Table{}, false
	}
	return db.Tables[i], true
}

// mostNames is how many tables an error lists.
const mostNames = 12

// tableNames lists the tables with entries, those with the most pages first.
func tableNames(db *mdbxfile.Database) string {
	all := slices.DeleteFunc(slices.Clone(db.Tables), func(t mdbxfile.Table) bool { return t.Entries == 0 })
	slices.SortStableFunc(all, func(a, b mdbxfile.Table) int { return cmp.Compare(b.Pages(), a.Pages()) })
	var names []string
	for _, t := range all[:min(len(all), mostNames)] {
		names = append(names, mdbxfile.Printable(t.Name))
	}
	if more := len(all) - len(names); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// Inspect reads the MDBX database in dir and returns its record.
func Inspect(dir string) (*record.MDBX, error) {
	d, err := mdbxfile.Read(dir)
	if err != nil {
		return nil, err
	}
	r := &record.MDBX{
		Schema: record.MDBXSchema, Path: dir, Format: mdbxfile.FormatVersion, PageBytes: d.PageBytes, Transaction: d.Transaction,
		FileBytes: d.FileBytes, UsedPages: d.UsedPages, FreePages: d.FreePages, UncountedPages: d.UncountedPages(),
		MainEntries: d.MainEntries, Tables: []record.MDBXTable{},
	}
	for _, t := range d.Tables {
		r.Tables = append(r.Tables, record.MDBXTable{
			Name: mdbxfile.Printable(t.Name), DupSort: t.Flags&mdbxfile.DupSort != 0, Entries: t.Entries,
			Depth: t.Depth, BranchPages: t.BranchPages, LeafPages: t.LeafPages, LargePages: t.LargePages,
		})
	}
	return r, nil
}
