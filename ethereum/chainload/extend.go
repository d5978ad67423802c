package chainload

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"

	"getio/record"
)

// Extension adds blocks to a chain that getio made. They do not change the state.
type Extension struct {
	population *population
	parent     common.Hash
	root       common.Hash
	next       uint64
}

// Extend starts after the chain's newest block.
func Extend(made *record.ChainMade) *Extension {
	return &Extension{
		population: newPopulation(&Plan{ChainPlan: made.Plan}),
		parent:     common.HexToHash(made.Head), root: common.HexToHash(made.Root), next: made.Plan.Blocks + 1,
	}
}

// Next writes the next block with its receipts and index, and makes it the head.
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

// writeBlock writes a block, its receipts and its canonical hash.
func writeBlock(to ethdb.KeyValueWriter, b *types.Block, receipts types.Receipts) {
	rawdb.WriteBlock(to, b)
	rawdb.WriteReceipts(to, b.Hash(), b.NumberU64(), receipts)
	rawdb.WriteCanonicalHash(to, b.Hash(), b.NumberU64())
}

// writeHead makes the block the head of the chain.
func writeHead(to ethdb.KeyValueWriter, hash common.Hash) {
	rawdb.WriteHeadHeaderHash(to, hash)
	rawdb.WriteHeadFastBlockHash(to, hash)
	rawdb.WriteHeadBlockHash(to, hash)
}
