package record

import "time"

// ChainMadeSchema marks what a chain that getio made is.
const ChainMadeSchema = "getio.chainmade/1"

// ChainMade is a chain that getio made; chain.json in its directory has it.
type ChainMade struct {
	Schema  string    `json:"schema"`
	Plan    ChainPlan `json:"plan"`
	Engine  string    `json:"engine"`
	Created time.Time `json:"created"`
	Seconds float64   `json:"seconds"` // that all of it took
	Bytes   int64     `json:"bytes"`   // of the store's and the freezer's files
	Root    string    `json:"root"`    // of the newest state
	Head    string    `json:"head"`    // hash of the newest block
	State   Cost      `json:"state"`   // accounts, in bulk
	Chain   Cost      `json:"chain"`   // blocks, with the changes of those that change the state
}

// ChainPlan says what chain to make.
type ChainPlan struct {
	Accounts  uint64  `json:"accounts"`
	Contracts float64 `json:"contracts"` // share of the accounts that have code and storage
	Slots     float64 `json:"slots"`     // of a contract's storage, in the mean
	Blocks    uint64  `json:"blocks"`    // after genesis
	Txs       uint64  `json:"txs"`       // transactions of a block
	// Frozen are the oldest blocks, genesis included, that the freezer has.
	Frozen uint64 `json:"frozen"`
	// Aged are the newest blocks, whose transactions change the state, one commit each.
	Aged   uint64 `json:"aged"`
	Scheme string `json:"scheme"` // hash | path
	Flat   bool   `json:"flat"`   // accounts and slots by themselves, too
	// Archive keeps the tries of the state after each block, under the hash scheme.
	Archive bool   `json:"archive"`
	Seed    uint64 `json:"seed"`
	// Allocated are accounts of a genesis file, beside the others.
	Allocated uint64 `json:"allocated,omitempty"`
}

// Cost is what making so many things took.
type Cost struct {
	Things     uint64  `json:"things"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"` // of the whole process
}
