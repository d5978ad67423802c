package chainload

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"

	"getio/record"
)

// Extension is further blocks of a chain that getio made, which change no state.
type Extension struct {
	population *population
	parent     common.Hash
	root       common.Hash
	next       uint64
}

// Extend goes on behind a chain's newest block.
func Extend(made *record.ChainMade) *Extension {
	return &Extension{
		population: newPopulation(&Plan{ChainPlan: made.Plan}),
		parent:     common.HexToHash(made.Head), root: common.HexToHash(made.Root), next: made.Plan.Blocks + 1,
	}
}

// Next writes the next block with its receipts and its index, and makes it the newest.
func (e *Extension) Next(to ethdb.KeyValueWriter) error {
	c, err := e.population.contents(e.next)
	if err != nil {
		return err
	}
	b := c.seal(e.parent, e.root)
	e.parent, e.next = b.Hash(), e.next+1
	writeBlock(to, b, c.receipts)
	rawdb.WriteTxLookupEntriesByBlock(to, b)
	writeHead(to, b.Hash())
	return nil
}

// Newest is the number of the newest block.
func (e *Extension) Newest() uint64 { return e.next - 1 }

// writeBlock writes a block, its receipts and its place in the chain.
func writeBlock(to ethdb.KeyValueWriter, b *types.Block, receipts types.Receipts) {
	rawdb.WriteBlock(to, b)
	rawdb.WriteReceipts(to, b.Hash(), b.NumberU64(), receipts)
	rawdb.WriteCanonicalHash(to, b.Hash(), b.NumberU64())
}

// writeHead says which block is the newest.
func writeHead(to ethdb.KeyValueWriter, hash common.Hash) {
	rawdb.WriteHeadHeaderHash(to, hash)
	rawdb.WriteHeadFastBlockHash(to, hash)
	rawdb.WriteHeadBlockHash(to, hash)
}
