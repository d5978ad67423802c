package chainload

import (
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
)

// chainConfig enables every fork up to the one that the block headers follow.
var chainConfig = params.MergedTestChainConfig

// change is the effect of a transaction on the state.
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

// contents makes the transactions and receipts of a block. Half of the transactions are
// transfers and half call a contract, if there are any, which logs one event. Block 0 has
// none.
func (p *population) contents(number uint64) (*contents, error) {
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
	return c, nil
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
