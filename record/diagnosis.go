package record

// Diagnosis describes a directory before anything is measured in it: what it holds, who has it
// open, and which commands would work.
type Diagnosis struct {
	Schema string `json:"schema"`
	Path   string `json:"path"` // directory of the database's files
	// Engine that reads the database; absent if none does.
	Engine  *Engine `json:"engine,omitempty"`
	Library string  `json:"library,omitempty"` // where RocksDB is: "static", in the program, or "of the system"
	Format  int     `json:"format,omitempty"`  // major version; absent where the library has none
	// Refused is why no engine reads it, or why commands refuse it although one could: its load did not finish, or
	// opening it failed. A database in use is not opened.
	Refused string `json:"refused,omitempty"`
	// Dataset is how getio wrote the database: "natural", "shaped" or "virtual".
	Dataset string         `json:"dataset,omitempty"`
	Files   DirectoryFiles `json:"files"`
	// OpenBy are the processes that have a file open, as far as the user may see them; absent where only locks are known,
	// as on macOS.
	OpenBy     []Holder      `json:"open_by,omitzero"`
	Locked     bool          `json:"locked"` // by a process that may write to it
	FileSystem FileSystem    `json:"file_system"`
	Memory     MachineMemory `json:"memory"`           // of the machine
	Kernel     string        `json:"kernel,omitempty"` // release
	Commands   []Feasible    `json:"commands"`
}

// HoldersKnown reports whether the kernel tells who has the files open.
func (d *Diagnosis) HoldersKnown() bool { return d.OpenBy != nil }

// DirectoryFiles are the files of a database.
type DirectoryFiles struct {
	Count      int   `json:"count"`       // regular files, a freezer's included
	Bytes      int64 `json:"bytes"`       // of these
	Tables     int   `json:"tables"`      // files that are named like tables
	TableBytes int64 `json:"table_bytes"` // of these
	// Unreadable is the first file that this user may not read.
	Unreadable string `json:"unreadable,omitempty"`
	// CachedBytes are bytes of tables in the page cache; absent before Linux 6.5, and on macOS.
	CachedBytes *int64 `json:"cached_bytes,omitempty"`
}

// Holder is a process that has files of a database open.
type Holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

// FileSystem holds a database.
type FileSystem struct {
	Type      string `json:"type"`                // of the directory
	FreeBytes int64  `json:"free_bytes"`          // available to the user
	ReadOnly  bool   `json:"read_only,omitempty"` // mounted so
	// NoBypass is why reads cannot go past the page cache; absent if they can, or without tables.
	NoBypass string `json:"no_bypass,omitempty"`
}

// MachineMemory is of the whole machine.
type MachineMemory struct {
	Bytes          int64 `json:"bytes"`
	AvailableBytes int64 `json:"available_bytes,omitempty"` // that processes can still take; absent on macOS
}

// Feasible says whether a command would work here.
type Feasible struct {
	Command string `json:"command"` // of getio
	Works   bool   `json:"works"`   // on this directory
	// Why a command would not work, and the way out; or what one that works needs.
	Why string `json:"why,omitempty"`
}
