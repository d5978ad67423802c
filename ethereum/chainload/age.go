package chainload

import (
	"cmp"
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

// ager applies blocks to the state through go-ethereum's own code, as a node does: new
// changes stay in memory and older ones go to the database.
type ager struct {
	*population
	tries *triedb.Database
	flat  *snapshot.Tree // hash scheme only; nil without flat state
	rules params.Rules
	kept  []common.Hash // hash scheme only: roots whose tries are in memory, oldest first
	// changed has a bit for each account that some block has changed.
	changed []uint64
}

// Sizes of the caches while the state ages, in bytes.
const (
	cleanTries  = 256 << 20
	dirtyTries  = 64 << 20 // the path scheme's default write buffer
	keptInHash  = 128      // number of blocks whose tries stay in memory (core/blockchain.go, TriesInMemory)
	flatCacheMB = 64
)

// openTries opens the tries as a node would. readOnly leaves the store and the freezer as they are.
func openTries(p *population, db ethdb.Database, readOnly bool) *triedb.Database {
	if p.plan.Scheme == rawdb.HashScheme {
		return triedb.NewDatabase(db, &triedb.Config{HashDB: &hashdb.Config{CleanCacheSize: cleanTries}})
	}
	path := *pathdb.Defaults
	path.TrieCleanSize, path.WriteBufferSize = cleanTries, dirtyTries
	path.SnapshotNoBuild = !p.plan.Flat
	path.ReadOnly = readOnly
	return triedb.NewDatabase(db, &triedb.Config{PathDB: &path})
}

func newAger(p *population, db ethdb.Database, root common.Hash) (*ager, error) {
	a := &ager{population: p, tries: openTries(p, db, false), rules: chainConfig.Rules(common.Big0, true, genesisTime), changed: make([]uint64, p.size()/64+1)}
	if p.plan.Scheme == rawdb.HashScheme && p.plan.Flat {
		var err error
		if a.flat, err = snapshot.New(snapshot.Config{CacheSize: flatCacheMB, NoBuild: true}, db, a.tries, root); err != nil {
			a.tries.Close()
			return nil, fmt.Errorf("the flat state cannot be opened: %w", err)
		}
	}
	return a, nil
}

// commit applies a block's changes to the state with the given root and returns the new root.
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
	binary.BigEndian.PutUint64(fresh[16:], number) // no such slot exists yet
	binary.BigEndian.PutUint64(fresh[24:], c.slot)
	binary.BigEndian.PutUint64(value[:], c.slot|1)
	s.SetState(to, there, value)
	s.SetState(to, fresh, value)
}

func (a *ager) mark(c change) {
	for _, i := range []uint64{c.from, c.to} {
		a.changed[i/64] |= 1 << (i % 64)
	}
}

// hasChanged reports whether a block has changed the account. It is false for a nil ager.
func (a *ager) hasChanged(i uint64) bool { return a != nil && a.changed[i/64]>>(i%64)&1 == 1 }

// keep does what a node does with the tries of a new state. The path scheme needs nothing;
// under the hash scheme an archive node writes them and other nodes drop old ones.
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

// end writes the newest state to the database or, after an error, drops what has not been written. A nil ager has nothing
// to write.
func (a *ager) end(root common.Hash, err error) error {
	if a == nil {
		return err
	}
	if err == nil && root != types.EmptyRootHash {
		err = a.tries.Commit(root, false)
	}
	if a.flat != nil {
		if err == nil {
			err = a.flat.Cap(root, 0)
		}
		a.flat.Release()
	}
	return cmp.Or(err, a.tries.Close())
}
