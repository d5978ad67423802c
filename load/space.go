package load

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"getio/system/filesystem"
)

// requireSpace returns an error if the dataset surely cannot fit: if its file system has less free space, including what
// an interrupted load has written, than the dataset takes at least. The error ends with the way out.
func (j *Job) requireSpace(wayOut string) error {
	dir := j.Manifest.DBDir(j.Dir)
	fs, err := filesystem.Holding(dir)
	if err != nil || fs.Bytes == 0 { // unknown: the load itself notices a full disk
		return nil
	}
	written, err := filesystem.Allocated(dir)
	if err != nil {
		return nil
	}
	least := j.Manifest.LeastBytes()
	if least <= uint64(fs.UnusedBytes+written) {
		return nil
	}
	part := ""
	if written > 0 {
		part = fmt.Sprintf(" besides the %s that are written", humanize.IBytes(uint64(written)))
	}
	return fmt.Errorf("the keys and values take at least %s, and %s are free for %s%s: %s",
		humanize.IBytes(least), humanize.IBytes(uint64(fs.FreeBytes)), j.Dir, part, wayOut)
}
