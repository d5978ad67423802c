package record

import (
	"time"

	"getio/engine/readpath"
)

// ExternalCount is what a command read from a private disk, counted outside its process.
type ExternalCount struct {
	Schema  string      `json:"schema"`
	Time    time.Time   `json:"time"`             // end of the run, UTC
	Command []string    `json:"command"`          // and its arguments
	Copied  *CopiedTree `json:"copied,omitempty"` // directory that was copied to the private disk
	// DiskBytes is the size of the private disk.
	DiskBytes        int64 `json:"disk_bytes"`
	MemoryLimitBytes int64 `json:"memory_limit_bytes,omitempty"` // of the command and its page cache
	// Reads of the private disk, as its device counts them, from an empty page cache to the end of the command.
	Reads  int64 `json:"reads"`
	Bytes  int64 `json:"bytes"`  // of these reads
	Merged int64 `json:"merged"` // reads that the kernel merged into neighbouring ones, besides these
	// Group is the same, counted by the command's control group, including merged reads.
	Group       GroupReads      `json:"group"`
	Seconds     float64         `json:"seconds"` // run time of the command
	Checks      readpath.Checks `json:"checks"`  // device and group agree
	Environment Environment     `json:"environment"`
}

// CopiedTree is a directory that was copied to the private disk.
type CopiedTree struct {
	Path  string `json:"path"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// GroupReads are the reads of a control group from a device.
type GroupReads struct {
	Reads int64 `json:"reads"`
	Bytes int64 `json:"bytes"`
}
