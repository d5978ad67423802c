package record

import (
	"time"

	"getio/tree/readpath"
)

// ExternalCountSchema marks an ExternalCount record.
const ExternalCountSchema = "getio.count/1"

// ExternalCount is what a command read of a private disk, counted from outside.
type ExternalCount struct {
	Schema  string      `json:"schema"`
	Time    time.Time   `json:"time"`
	Command []string    `json:"command"`
	Copied  *CopiedTree `json:"copied,omitempty"`
	// DiskBytes is the size of the private disk.
	DiskBytes        int64 `json:"disk_bytes"`
	MemoryLimitBytes int64 `json:"memory_limit_bytes,omitempty"`
	// As the device counts.
	Reads  int64 `json:"reads"`
	Bytes  int64 `json:"bytes"`
	Merged int64 `json:"merged"`
	// Group is the account of the command's control group.
	Group       GroupReads      `json:"group"`
	Seconds     float64         `json:"seconds"`
	Checks      readpath.Checks `json:"checks"`
	Environment Environment     `json:"environment"`
}

// CopiedTree is a directory that a private disk held a copy of.
type CopiedTree struct {
	Path  string `json:"path"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// GroupReads are what a control group read of a device.
type GroupReads struct {
	Reads int64 `json:"reads"`
	Bytes int64 `json:"bytes"`
}
