package record

import (
	"time"

	"getio/engine/readpath"
)

// ExternalCount is what a command read from a private disk, counted outside its process.
type ExternalCount struct {
	Schema  string      `json:"schema"`
	Time    time.Time   `json:"time"`
	Command []string    `json:"command"`
	Copied  *CopiedTree `json:"copied,omitempty"`
	// DiskBytes is the size of the private disk.
	DiskBytes        int64 `json:"disk_bytes"`
	MemoryLimitBytes int64 `json:"memory_limit_bytes,omitempty"`
	// Counted by the device.
	Reads  int64 `json:"reads"`
	Bytes  int64 `json:"bytes"`
	Merged int64 `json:"merged"`
	// Group is counted by the command's control group.
	Group       GroupReads      `json:"group"`
	Seconds     float64         `json:"seconds"`
	Checks      readpath.Checks `json:"checks"`
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
