package report

import (
	"fmt"
	"io"
	"strings"

	"getio/numbers/units"
	"getio/record"
)

// Diagnosis writes what a directory holds, and which commands would work on it.
func Diagnosis(w io.Writer, d *record.Diagnosis) error {
	p := newPrinter(w)
	p.field("Directory", d.Path)
	p.field("Database", diagnosedDatabase(d))
	p.field("Files", diagnosedFiles(&d.Files))
	p.field("In use by", holders(d))
	p.field("File system", diagnosedFileSystem(&d.FileSystem))
	p.field("Memory", fmt.Sprintf("%s, %s available", units.Size(d.Memory.Bytes), units.Size(d.Memory.AvailableBytes)))
	p.field("Kernel", orAbsent(d.Kernel))
	p.blank()
	var works []string
	for _, c := range d.Commands {
		if c.Works {
			works = append(works, c.Command)
		}
	}
	p.field("Would work", orAbsent(strings.Join(works, ", ")))
	for _, c := range d.Commands {
		if !c.Works {
			p.field("Would not", fmt.Sprintf("%s: %s", c.Command, c.Why))
		}
	}
	return p.flush()
}

func diagnosedDatabase(d *record.Diagnosis) string {
	if d.Refused != "" {
		return d.Refused
	}
	text := fmt.Sprintf("read by %s, library version %s", d.Engine.Name, d.Engine.Version)
	if d.Library != "" {
		text += fmt.Sprintf(" (%s)", d.Library)
	}
	if d.Format > 0 {
		text += ", database format " + units.Comma(int64(d.Format))
	}
	if d.Dataset != "" {
		text += fmt.Sprintf("; a %s dataset of getio", d.Dataset)
	}
	return text
}

func diagnosedFiles(f *record.DirectoryFiles) string {
	text := fmt.Sprintf("%s, %s", units.Plural(int64(f.Count), "file"), units.Size(f.Bytes))
	if f.Tables > 0 {
		text += fmt.Sprintf("; %s, %s", units.Plural(int64(f.Tables), "table"), units.Size(f.TableBytes))
	}
	if f.CachedBytes != nil {
		text += fmt.Sprintf(", of which the page cache holds %s", units.Size(min(*f.CachedBytes, f.TableBytes))) // whole pages
	}
	if f.Unreadable != "" {
		text += fmt.Sprintf("; this user may not read %s", f.Unreadable)
	}
	return text
}

func holders(d *record.Diagnosis) string {
	var names []string
	for _, h := range d.OpenBy {
		names = append(names, fmt.Sprintf("%s (process %d)", h.Command, h.PID))
	}
	switch {
	case len(names) == 0 && d.Locked:
		return "a process that this user may not see: the database is locked"
	case len(names) == 0:
		return "nobody"
	case d.Locked:
		return strings.Join(names, ", ") + "; the database is locked"
	}
	return strings.Join(names, ", ") + ", without a lock"
}

func diagnosedFileSystem(fs *record.FileSystem) string {
	text := fmt.Sprintf("%s, %s free", fs.Type, units.Size(fs.FreeBytes))
	if fs.ReadOnly {
		text += ", read-only"
	}
	return text
}
