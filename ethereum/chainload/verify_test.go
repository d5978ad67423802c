package chainload

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	pebblev2 "getio/engine/pebble/v2"
	"getio/record"
)

// TestVerifyNamesDamage damages a chain in one way at a time.
func TestVerifyNamesDamage(t *testing.T) {
	t.Parallel()
	plan := small()
	plan.Accounts, plan.Blocks, plan.Aged, plan.Flat, plan.Frozen = 1000, 20, 3, true, 5
	made, whole := load(t, plan, pebblev2.Engine)
	for name, c := range map[string]struct {
		spoil func(v *verifier)
		want  string
	}{
		"nothing": {func(*verifier) {}, "<nil>"},
		"another plan": {func(v *verifier) {
			v.plan.Contracts = 0.2
		}, "differs from the plan: account"},
		"no code": {func(v *verifier) {
			a, _ := v.population.account(0)
			rawdb.DeleteCode(v.db, common.BytesToHash(a.CodeHash))
		}, "the code of account"},
		"another flat account": {func(v *verifier) {
			rawdb.WriteAccountSnapshot(v.db, v.hash(500), types.SlimAccountRLP(types.StateAccount{Balance: uint256.NewInt(1)}))
		}, "between the flat state and the trie"},
		"no slot":      {func(v *verifier) { rawdb.DeleteStorageTrieNode(v.db, v.hash(0), nil) }, "plan: "}, // its root node
		"no block":     {func(v *verifier) { rawdb.DeleteBody(v.db, rawdb.ReadCanonicalHash(v.db, 7), 7) }, "block 7 is missing"},
		"no receipts":  {func(v *verifier) { rawdb.DeleteReceipts(v.db, rawdb.ReadCanonicalHash(v.db, 8), 8) }, "block 8 has other receipts"},
		"another hash": {func(v *verifier) { rawdb.WriteCanonicalHash(v.db, rawdb.ReadCanonicalHash(v.db, 8), 9) }, "block 9 is missing"},
		"another head": {func(v *verifier) { v.head = common.Hash{1} }, "block 20 differs"},
		"another body": {func(v *verifier) {
			rawdb.WriteBody(v.db, rawdb.ReadCanonicalHash(v.db, 9), 9, &types.Body{})
		}, "block 9 has other transactions"},
	} {
		t.Run(name, func(t *testing.T) {
			p, dir := plan, t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			db, err := openStore("pebblev2", StoreDir(dir))
			require.NoError(t, err)
			defer db.Close()
			a := &ager{changed: make([]uint64, p.Accounts/64+1)}
			v := &verifier{population: newPopulation(&p), db: db, root: common.HexToHash(made.Root), head: common.HexToHash(made.Head), ager: a}
			for number := p.Blocks - p.Aged + 1; number <= p.Blocks; number++ {
				for _, c := range v.contents(number).changes {
					a.mark(c)
				}
			}
			c.spoil(v)
			err = (&Job{Plan: p}).verify(t.Context(), v)
			if text := fmt.Sprint(err); !strings.Contains(text, c.want) || strings.Contains(text, "%!") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestMeanOfSlots compares the mean number of slots with the plan, at both limits too.
func TestMeanOfSlots(t *testing.T) {
	t.Parallel()
	for _, mean := range []float64{minSlots, 30, maxSlots} {
		pop := newPopulation(&Plan{ChainPlan: record.ChainPlan{Slots: mean}})
		sum, n := 0.0, 1_000_000
		for i := range n {
			sum += float64(pop.quantile((float64(i) + 0.5) / float64(n)))
		}
		if got := sum / float64(n); got < 0.98*mean || got > 1.02*mean {
			t.Errorf("contracts have %.2f slots in the mean, the plan says %v", got, mean)
		}
	}
}

func TestPlanMustFitMemory(t *testing.T) {
	p := small()
	p.Accounts = 1 << 30
	assert.ErrorContains(t, p.fits(8<<30), "16 GiB of memory")
	for _, available := range []int64{0, 32 << 30} {
		require.NoError(t, p.fits(available))
	}
}
