package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// ExternalCount writes what a command read from a private disk.
func ExternalCount(w io.Writer, r *record.ExternalCount) error {
	p := newPrinter(w)
	p.field("Command", shortened(strings.Join(r.Command, " "), 78))
	if r.Copied != nil {
		p.field("On a copy of", fmt.Sprintf("%s (%s, %s)", r.Copied.Path, units.Plural(r.Copied.Files, "file"), units.Size(r.Copied.Bytes)))
	}
	if r.MemoryLimitBytes > 0 {
		p.field("Memory", units.Size(r.MemoryLimitBytes)+" at most, page cache included")
	}
	p.field("Reads", countedReads(r))
	p.field("Bytes", countedBytes(r))
	p.field("Time", countedTime(r))
	return p.flush()
}

func countedReads(r *record.ExternalCount) string {
	text := units.Comma(r.Reads) + " from the private disk, starting with an empty page cache"
	if r.Merged > 0 {
		text += fmt.Sprintf("; %s more were merged into neighbouring reads", units.Comma(r.Merged))
	}
	return text
}

func countedBytes(r *record.ExternalCount) string {
	text := units.Size(r.Bytes)
	if r.Reads > 0 {
		text += fmt.Sprintf(", %s per read", units.MeanSize(float64(r.Bytes)/float64(r.Reads)))
	}
	return text
}

func countedTime(r *record.ExternalCount) string {
	text := time.Duration(r.Seconds * float64(time.Second)).Round(time.Millisecond).String()
	if r.Reads > 0 && r.Seconds > 0 {
		text += fmt.Sprintf(", %s reads per second", units.Count(int64(float64(r.Reads)/r.Seconds)))
	}
	return text
}
