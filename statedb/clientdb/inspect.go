package clientdb

import (
	"getio/engine/mdbxfile"
	"getio/record"
)

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
