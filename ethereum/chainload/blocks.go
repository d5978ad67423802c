package chainload

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
)

// blockWriter writes a chain: the oldest blocks to the freezer, the others to the key-value
// store, and the indexes of all blocks to the key-value store.
type blockWriter struct {
	*population
	db     ethdb.Database
	to     *batch
	parent common.Hash
	root   common.Hash // of the newest state
	ager   *ager       // nil if no block changes the state

	frozen   []*types.Block // blocks for the freezer, not yet written
	receipts []rlp.RawValue // of the frozen blocks
}

// frozenPart is the number of blocks written to the freezer at a time.
const frozenPart = 256

// write writes all blocks of the plan on top of a genesis block.
func (w *blockWriter) write(ctx context.Context, done func(blocks uint64)) error {
	err := inOrder(ctx, w.plan.Blocks+1, w.contents,
		func(number uint64, c *contents) error {
			if number > w.plan.Blocks-w.plan.Aged {
				if err := w.age(number, c); err != nil {
					return err
				}
			}
			if err := w.put(c.seal(w.parent, w.root), c.receipts); err != nil {
				return err
			}
			done(number)
			return nil
		})
	if err != nil {
		return err
	}
	return w.finish()
}

// age applies a block's changes to the state.
func (w *blockWriter) age(number uint64, c *contents) (err error) {
	w.root, err = w.ager.commit(w.root, number, c.changes)
	return err
}

// put writes a block.
func (w *blockWriter) put(b *types.Block, receipts types.Receipts) error {
	w.parent = b.Hash()
	rawdb.WriteTxLookupEntriesByBlock(w.to, b)
	if b.NumberU64() < w.plan.Frozen {
		rawdb.WriteHeaderNumber(w.to, b.Hash(), b.NumberU64())
		w.frozen = append(w.frozen, b)
		w.receipts = append(w.receipts, types.EncodeBlockReceiptLists([]types.Receipts{receipts})...)
		if len(w.frozen) == frozenPart {
			return w.freeze()
		}
		return w.to.writeIfFull()
	}
	writeBlock(w.to, b, receipts)
	return w.to.writeIfFull()
}

func (w *blockWriter) freeze() error {
	if len(w.frozen) == 0 {
		return nil
	}
	_, err := rawdb.WriteAncientBlocks(w.db, w.frozen, w.receipts)
	w.frozen, w.receipts = nil, nil
	return err
}

// finish writes the head and the chain's configuration. It comes last, so that an unfinished
// chain has no head.
func (w *blockWriter) finish() error {
	if err := w.freeze(); err != nil {
		return err
	}
	if err := w.db.SyncAncient(); err != nil {
		return err
	}
	genesis := rawdb.ReadCanonicalHash(w.db, 0)
	if genesis == (common.Hash{}) {
		if err := w.to.write(); err != nil {
			return err
		}
		genesis = rawdb.ReadCanonicalHash(w.db, 0)
	}
	if w.plan.Frozen > 0 { // the store keeps the hash of block 0 all the same (database.go, Open)
		rawdb.WriteCanonicalHash(w.to, genesis, 0)
	}
	rawdb.WriteChainConfig(w.to, genesis, chainConfig)
	rawdb.WriteDatabaseVersion(w.to, schemaVersion)
	rawdb.WriteTxIndexTail(w.to, 0)
	writeHead(w.to, w.parent)
	return w.to.write()
}

// schemaVersion is the schema version of go-ethereum 1.17 (core/blockchain.go,
// BlockChainVersion).
const schemaVersion = 9
