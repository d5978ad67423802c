package record

import "time"

// ChainMade describes a chain that getio made. It is chain.json in its directory.
type ChainMade struct {
	Schema  string    `json:"schema"`
	Plan    ChainPlan `json:"plan"`
	Engine  string    `json:"engine"`
	Created time.Time `json:"created"`
	Seconds float64   `json:"seconds"` // in all
	Bytes   int64     `json:"bytes"`   // of the files of the store and the freezer
	Root    string    `json:"root"`    // of the newest state
	Head    string    `json:"head"`    // hash of the newest block
	State   Cost      `json:"state"`   // accounts, in bulk
	Chain   Cost      `json:"chain"`   // blocks, including their changes of the state
}

// ChainPlan says what chain to make.
type ChainPlan struct {
	Accounts  uint64  `json:"accounts"`
	Contracts float64 `json:"contracts"` // share of the accounts that have code and storage
	Slots     float64 `json:"slots"`     // mean per contract
	Blocks    uint64  `json:"blocks"`    // after genesis
	Txs       uint64  `json:"txs"`       // per block
	// Frozen is the number of blocks in the freezer, genesis included: the oldest.
	Frozen uint64 `json:"frozen"`
	// Aged is the number of newest blocks whose transactions change the state, with one
	// commit each.
	Aged   uint64 `json:"aged"`
	Scheme string `json:"scheme"` // hash | path
	Flat   bool   `json:"flat"`   // with the flat state: accounts and slots by key
	// Archive keeps the tries after every block, in the hash scheme.
	Archive bool   `json:"archive"`
	Seed    uint64 `json:"seed"`
	// Allocated is the number of accounts from a genesis file, beside the others.
	Allocated uint64 `json:"allocated,omitempty"`
}

// AllAccounts returns the number of accounts, with those that genesis allocates.
func (p ChainPlan) AllAccounts() uint64 { return p.Accounts + p.Allocated }

// Cost is the time that it took to make a number of things.
type Cost struct {
	Things     uint64  `json:"things"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"` // of the whole process
}
