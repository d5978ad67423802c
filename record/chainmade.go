package record

import "time"

// ChainMade describes a chain that getio made. It is chain.json in its directory.
type ChainMade struct {
	Schema  string    `json:"schema"`
	Plan    ChainPlan `json:"plan"`
	Engine  string    `json:"engine"`  // of the key-value store
	Created time.Time `json:"created"` // start, UTC
	Seconds float64   `json:"seconds"` // wall time in all
	Bytes   int64     `json:"bytes"`   // of the files of store and freezer
	Root    string    `json:"root"`    // of the newest state
	Head    string    `json:"head"`    // hash of the newest block
	State   Cost      `json:"state"`   // accounts, made in bulk
	Chain   Cost      `json:"chain"`   // blocks, including commits of the state
}

// ChainPlan says what chain to make.
type ChainPlan struct {
	Accounts  uint64  `json:"accounts"`  // beside allocated ones
	Contracts float64 `json:"contracts"` // share of the accounts that have code and storage
	Slots     float64 `json:"slots"`     // mean per contract
	Blocks    uint64  `json:"blocks"`    // after genesis
	Txs       uint64  `json:"txs"`       // per block
	// Frozen is the number of oldest blocks in the freezer, genesis included.
	Frozen uint64 `json:"frozen"`
	// Aged is the number of newest blocks that changed the state, with one commit each.
	Aged   uint64 `json:"aged"`
	Scheme string `json:"scheme"` // "hash" or "path"
	Flat   bool   `json:"flat"`   // with the flat state
	// Archive means that the tries after every block were kept.
	Archive bool   `json:"archive"`
	Seed    uint64 `json:"seed"` // of accounts, blocks and transactions
	// Allocated is the number of accounts from a genesis file, beside the others.
	Allocated uint64 `json:"allocated,omitempty"`
}

// AllAccounts returns the number of accounts, with those that genesis allocates.
func (p ChainPlan) AllAccounts() uint64 { return p.Accounts + p.Allocated }

// Cost is the time that it took to make a number of things.
type Cost struct {
	Things     uint64  `json:"things"`      // how many were made
	Seconds    float64 `json:"seconds"`     // wall time
	CPUSeconds float64 `json:"cpu_seconds"` // of the whole process
}
