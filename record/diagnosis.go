package record

// Diagnosis describes a directory before anything is measured in it: what it holds, who has it
// open, and which commands would work.
type Diagnosis struct {
	Schema string `json:"schema"`
	Path   string `json:"path"` // of the database's files
	// Engine can read the database; absent if none can. Refused is why no engine can, or why commands refuse the
	// database although one can: its load did not finish, or it is damaged.
	Engine  *Engine `json:"engine,omitempty"`
	Library string  `json:"library,omitempty"` // where RocksDB is: static, or of the system; absent for other engines
	Format  int     `json:"format,omitempty"`  // major version; absent where the library has none
	Refused string  `json:"refused,omitempty"`
	// Dataset is how getio wrote the database (natural, shaped or virtual); absent for others.
	Dataset    string         `json:"dataset,omitempty"`
	Files      DirectoryFiles `json:"files"`
	OpenBy     []Holder       `json:"open_by"`
	Locked     bool           `json:"locked"` // by a process that may write to it
	FileSystem FileSystem     `json:"file_system"`
	Memory     MachineMemory  `json:"memory"`
	Kernel     string         `json:"kernel,omitempty"`
	Commands   []Feasible     `json:"commands"`
}

// DirectoryFiles are the files of a database.
type DirectoryFiles struct {
	Count      int   `json:"count"`
	Bytes      int64 `json:"bytes"`
	Tables     int   `json:"tables"` // files that are named like tables
	TableBytes int64 `json:"table_bytes"`
	// Unreadable is the first file that this user may not read; absent if there is none.
	Unreadable string `json:"unreadable,omitempty"`
	// CachedBytes of tables are in the page cache; absent where the kernel does not tell.
	CachedBytes *int64 `json:"cached_bytes,omitempty"`
}

// Holder is a process that has files of a database open.
type Holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

// FileSystem holds a database.
type FileSystem struct {
	Type      string `json:"type"`
	FreeBytes int64  `json:"free_bytes"`
	ReadOnly  bool   `json:"read_only,omitempty"`
	// NoBypass is why reads cannot go past the page cache; absent if they can, or without tables.
	NoBypass string `json:"no_bypass,omitempty"`
}

// MachineMemory is of the whole machine.
type MachineMemory struct {
	Bytes          int64 `json:"bytes"`
	AvailableBytes int64 `json:"available_bytes"`
}

// Feasible says whether a command would work here.
type Feasible struct {
	Command string `json:"command"`
	Works   bool   `json:"works"`
	// Why a command would not work, and the way out; or what one that works needs.
	Why string `json:"why,omitempty"`
}
