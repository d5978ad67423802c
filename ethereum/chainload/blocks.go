package chainload

import (
	"context"
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"

	"getio/client/chaindata"
	"getio/record"
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
	err := inOrder(ctx, w.plan.Blocks+1,
		func(number uint64) (*contents, error) { return w.contents(number), nil },
		func(number uint64, c *contents) (err error) {
			if number > w.plan.Blocks-w.plan.Aged {
				if w.root, err = w.ager.commit(w.root, number, c.changes); err != nil {
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
	} else {
		writeBlock(w.to, b, receipts)
	}
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
	rawdb.WriteDatabaseVersion(w.to, chaindata.SchemaVersion)
	rawdb.WriteTxIndexTail(w.to, 0)
	writeHead(w.to, w.parent)
	return w.to.write()
}

// chainConfig enables every fork up to the one that the block headers follow.
var chainConfig = params.MergedTestChainConfig

type change struct {
	from, to uint64 // account numbers
	wei      *uint256.Int
	call     bool   // calls a contract, which writes two slots
	slot     uint64 // modulo the number of slots: the existing slot to write
}

// contents holds a block before it is sealed.
type contents struct {
	changes  []change
	txs      types.Transactions
	receipts types.Receipts
	// header lacks the parent and the state root.
	header *types.Header
}

// contents makes the transactions and receipts of a block. Half of the transactions are transfers
// and half call a contract, if there are any, which logs one event. Block 0 has none.
func (p *population) contents(number uint64) *contents {
	c := &contents{}
	random := p.random(ofBlock, number)
	gas, txs := uint64(0), p.plan.Txs
	if number == 0 {
		txs = 0
	}
	for i := range txs {
		ch := change{from: random.Uint64N(p.plan.Accounts), to: random.Uint64N(p.plan.Accounts), wei: uint256.NewInt(random.Uint64() >> 16), slot: random.Uint64()}
		to := p.address(ch.to)
		tx := &types.DynamicFeeTx{
			ChainID: chainConfig.ChainID, Nonce: number*p.plan.Txs + i, To: &to, Gas: params.TxGas,
			GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(30e9), Value: ch.wei.ToBig(),
			V: big.NewInt(int64(i & 1)), R: new(big.Int).SetBytes(randomBytes(random.Uint64, 32)), S: new(big.Int).SetBytes(randomBytes(random.Uint64, 31)),
		}
		receipt := &types.Receipt{Type: types.DynamicFeeTxType, Status: types.ReceiptStatusSuccessful}
		if n := p.contracts(); n > 0 && i%2 == 1 {
			ch.call, ch.to = true, ch.to%n
			to = p.address(ch.to)
			tx.Value, tx.Gas = new(big.Int), 60_000
			tx.Data = append(randomBytes(random.Uint64, 4), make([]byte, 64)...)
			copy(tx.Data[16:], p.address(ch.from).Bytes())
			receipt.Logs = []*types.Log{{
				Address: to, Data: randomBytes(random.Uint64, 32),
				Topics: []common.Hash{transferEvent, common.BytesToHash(p.address(ch.from).Bytes()), common.BytesToHash(to.Bytes())},
			}}
		}
		gas += tx.Gas
		receipt.CumulativeGasUsed = gas
		receipt.Bloom = types.CreateBloom(receipt)
		c.changes = append(c.changes, ch)
		c.txs = append(c.txs, types.NewTx(tx))
		c.receipts = append(c.receipts, receipt)
	}
	c.header = &types.Header{
		UncleHash: types.EmptyUncleHash, TxHash: types.EmptyTxsHash, ReceiptHash: types.EmptyReceiptsHash,
		Difficulty: new(big.Int), Number: new(big.Int).SetUint64(number), GasLimit: 30_000_000, GasUsed: gas,
		Time: genesisTime + number*blockSeconds, BaseFee: big.NewInt(1e9), Bloom: types.MergeBloom(c.receipts),
	}
	if len(c.txs) > 0 {
		c.header.TxHash = types.DeriveSha(c.txs, trie.NewStackTrie(nil))
		c.header.ReceiptHash = types.DeriveSha(c.receipts, trie.NewStackTrie(nil))
	}
	return c
}

// transferEvent is the first topic of an ERC-20 Transfer event.
var transferEvent = common.HexToHash("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")

const (
	genesisTime  = 1_438_269_973
	blockSeconds = 12
)

func randomBytes(random func() uint64, n int) []byte {
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, random())
	}
	return b[:n]
}

// seal completes the block with its parent and its state root.
func (c *contents) seal(parent, root common.Hash) *types.Block {
	c.header.ParentHash, c.header.Root = parent, root
	return types.NewBlockWithHeader(c.header).WithBody(types.Body{Transactions: c.txs})
}

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
func (e *Extension) Next(to ethdb.KeyValueWriter) {
	c := e.population.contents(e.next)
	b := c.seal(e.parent, e.root)
	e.parent, e.next = b.Hash(), e.next+1
	writeBlock(to, b, c.receipts)
	rawdb.WriteTxLookupEntriesByBlock(to, b)
	writeHead(to, b.Hash())
}

// Newest is the number of the newest block.
func (e *Extension) Newest() uint64 { return e.next - 1 }

// writeBlock writes a block, its receipts and its canonical hash.
func writeBlock(to ethdb.KeyValueWriter, b *types.Block, receipts types.Receipts) {
	rawdb.WriteBlock(to, b)
	rawdb.WriteReceipts(to, b.Hash(), b.NumberU64(), receipts)
	rawdb.WriteCanonicalHash(to, b.Hash(), b.NumberU64())
}

func writeHead(to ethdb.KeyValueWriter, hash common.Hash) {
	rawdb.WriteHeadHeaderHash(to, hash)
	rawdb.WriteHeadFastBlockHash(to, hash)
	rawdb.WriteHeadBlockHash(to, hash)
}
