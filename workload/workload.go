// Package workload says what is asked of a database: which operations, on which keys, how many, by how many workers,
// after which warm-up.
package workload

// Workload is what a run asks of a database. Two runs ask for the same if their workloads are equal by ==. Settings
// declares its flags and words.
type Workload struct {
	Keys
	Operation
	// Gets are measured, or operations of another kind; absent: as many as show whether the run is steady, or the
	// default where that cannot be seen.
	Gets    int64  `json:"gets,omitempty"`
	Warmup  Warmup `json:"warmup"`  // rule
	Workers int    `json:"workers"` // concurrent readers
	// Rate is the number of measured Gets due per second; absent: each begins when the one before has returned.
	Rate int64 `json:"rate,omitempty"`
	// MoreRuns is the most further runs of a reproduction until one is steady.
	MoreRuns int `json:"more_runs,omitempty"`
}

// Operation is what each worker repeats. The zero Operation is a Get. Records, repeated Gets and trials have all of it.
type Operation struct {
	// Kind is "scan" or "multiget"; absent for Gets. All figures per Get are then per operation.
	Kind    Kind `json:"operation,omitempty"`
	Records int  `json:"keys_per_operation,omitempty"` // that a scan reads or a batch looks up
}

// Kind is a kind of operation, by its name in records. Gets have none there, and are called Get in traces.
type Kind string

const (
	Get      Kind = "get"
	Scan     Kind = "scan"
	Multiget Kind = "multiget"
)

// Limits of one operation.
const (
	MaxScan  = 1_000_000 // records
	MaxBatch = 10_000    // keys
)

// IsGet reports whether each operation looks one key up.
func (k Kind) IsGet() bool { return k == "" || k == Get }

// EachRecords returns the records per operation, at least 1.
func (o Operation) EachRecords() int64 { return int64(max(o.Records, 1)) }

// EachKeys returns how many keys of the sequence an operation takes; a scan takes one, its first.
func (o Operation) EachKeys() int64 {
	if o.Kind == Multiget {
		return o.EachRecords()
	}
	return 1
}

// Words are what operations are called.
type Words struct{ One, Many string } // "Get", "Gets"

// Words returns what operations of the kind are called.
func (k Kind) Words() Words {
	switch k {
	case "", Get:
		return Words{"Get", "Gets"}
	case Multiget:
		return Words{"batch", "batches"}
	}
	return Words{string(k), string(k) + "s"}
}
