package mdbxfile

import (
	"strconv"

	"getio/record"
)

// Inspect reads the database in dir and returns its record.
func Inspect(dir string) (*record.MDBX, error) {
	d, err := Read(dir)
	if err != nil {
		return nil, err
	}
	r := &record.MDBX{
		Schema: record.MDBXSchema, Path: dir, Format: formatVersion, PageBytes: d.PageBytes, Transaction: d.Transaction,
		FileBytes: d.FileBytes, UsedPages: d.UsedPages, FreePages: d.FreePages, Tables: []record.MDBXTable{},
	}
	counted := metaPages + d.FreePages + d.Free.Pages() + d.Main.Pages()
	for _, t := range d.Tables {
		counted += t.Pages()
		r.Tables = append(r.Tables, record.MDBXTable{
			Name: Printable(t.Name), DupSort: t.Flags&DupSort != 0, Entries: t.Entries,
			Depth: t.Depth, BranchPages: t.BranchPages, LeafPages: t.LeafPages, LargePages: t.LargePages,
		})
	}
	r.MainEntries = d.MainEntries
	r.UncountedPages = d.UsedPages - counted
	return r, nil
}

// Pages returns the pages of the tree.
func (t Tree) Pages() int64 { return t.BranchPages + t.LeafPages + t.LargePages }

// Printable returns a name, in quotes with its bytes escaped if a terminal would not show it as it is.
func Printable(name string) string {
	if quoted := strconv.QuoteToASCII(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
