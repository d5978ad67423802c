package chainload

import (
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/state/snapshot"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/hashdb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"
)

// ager changes the state by go-ethereum's own code, block by block, as a node does: it
// keeps the newest changes in memory and writes older ones to the database.
type ager struct {
	*population
	tries *triedb.Database
	flat  *snapshot.Tree // of the hash scheme; nil without flat state
	rules params.Rules
	kept  []common.Hash // roots of the hash scheme whose tries are in memory, oldest first
	// changed has a bit for each account that is not as the plan has it any more.
	changed []uint64
}

// Memory of the tries under way, in bytes.
const (
	cleanTries  = 256 << 20
	dirtyTries  = 64 << 20 // as the path scheme's writes are gathered by default
	keptInHash  = 128      // tries of so many blocks (core/blockchain.go, TriesInMemory)
	flatCacheMB = 64
)

// openTries opens the tries as a node would.
func openTries(p *population, db ethdb.Database) *triedb.Database {
	if p.plan.Scheme == rawdb.HashScheme {
		return triedb.NewDatabase(db, &triedb.Config{HashDB: &hashdb.Config{CleanCacheSize: cleanTries}})
	}
	path := *pathdb.Defaults
	path.TrieCleanSize, path.WriteBufferSize = cleanTries, dirtyTries
	path.SnapshotNoBuild = !p.plan.Flat
	return triedb.NewDatabase(db, &triedb.Config{PathDB: &path})
}

func newAger(p *population, db ethdb.Database, root common.Hash) (*ager, error) {
	a := &ager{population: p, tries: openTries(p, db), rules: chainConfig.Rules(common.Big0, true, genesisTime), changed: make([]uint64, p.size()/64+1)}
	if p.plan.Scheme == rawdb.HashScheme && p.plan.Flat {
		var err error
		if a.flat, err = snapshot.New(snapshot.Config{CacheSize: flatCacheMB, NoBuild: true}, db, a.tries, root); err != nil {
			a.tries.Close()
			return nil, fmt.Errorf("the flat state cannot be opened: %w", err)
		}
	}
	return a, nil
}

// commit makes a block's changes to the state of a root, and returns the new root.
func (a *ager) commit(root common.Hash, number uint64, changes []change) (common.Hash, error) {
	of := state.NewMPTDatabase(a.tries, nil)
	if a.flat != nil {
		of.WithSnapshot(a.flat)
	}
	s, err := state.New(root, of)
	if err != nil {
		return root, err
	}
	for _, c := range changes {
		a.apply(s, number, c)
	}
	next, err := s.Commit(a.rules, number)
	if err != nil {
		return root, err
	}
	return next, a.keep(next)
}

// apply makes one transaction's changes.
func (a *ager) apply(s *state.StateDB, number uint64, c change) {
	a.mark(c)
	from, to := a.address(c.from), a.address(c.to)
	s.SetNonce(from, s.GetNonce(from)+1, tracing.NonceChangeUnspecified)
	s.AddBalance(to, c.wei, tracing.BalanceChangeUnspecified)
	if !c.call {
		return
	}
	_, slots := a.account(c.to)
	var there, fresh, value common.Hash
	binary.BigEndian.PutUint64(there[24:], c.slot%slots)
	binary.BigEndian.PutUint64(fresh[16:], number) // no slot of this number is there
	binary.BigEndian.PutUint64(fresh[24:], c.slot)
	binary.BigEndian.PutUint64(value[:], c.slot|1)
	s.SetState(to, there, value)
	s.SetState(to, fresh, value)
}

// mark notes which accounts a transaction changes.
func (a *ager) mark(c change) {
	for _, i := range []uint64{c.from, c.to} {
		a.changed[i/64] |= 1 << (i % 64)
	}
}

// hasChanged tells whether a block has changed an account. Nothing ages without an ager.
func (a *ager) hasChanged(i uint64) bool { return a != nil && a.changed[i/64]>>(i%64)&1 == 1 }

// keep does with a new state's tries what a node does: under the path scheme that is
// the library's affair; under the hash scheme an archive writes them, and others let
// old ones go.
func (a *ager) keep(root common.Hash) error {
	switch {
	case a.plan.Scheme == rawdb.PathScheme:
		return nil
	case a.plan.Archive:
		return a.tries.Commit(root, false)
	}
	if err := a.tries.Reference(root, common.Hash{}); err != nil {
		return err
	}
	if a.kept = append(a.kept, root); len(a.kept) > keptInHash {
		if err := a.tries.Dereference(a.kept[0]); err != nil {
			return err
		}
		a.kept = a.kept[1:]
	}
	return nil
}

// finish writes the newest state, so that all of it is in the database.
func (a *ager) finish(root common.Hash) error {
	if root != types.EmptyRootHash {
		if err := a.tries.Commit(root, false); err != nil {
			return err
		}
	}
	if a.flat != nil {
		if err := a.flat.Cap(root, 0); err != nil {
			return err
		}
		a.flat.Release()
	}
	return a.tries.Close()
}

// discard lets go of all that is not written yet.
func (a *ager) discard() {
	if a.flat != nil {
		a.flat.Release()
	}
	a.tries.Close()
}
