//go:build cgo

package mdbx

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/erigontech/mdbx-go/mdbx"

	"getio/outside/adapter"
)

// store is an open environment with one table.
type store struct {
	dir    string
	mode   adapter.Mode
	config config
	made   bool      // the directory did not exist before
	env    *mdbx.Env // nil if it could not be reopened
	table  mdbx.DBI
	loaded []adapter.Record // since the last commit
}

var errNotOpen = errors.New("the store could not be opened again")

func (s *store) open() (err error) {
	env, err := mdbx.NewEnv(mdbx.Default)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			env.Close()
		}
	}()
	if err := env.SetOption(mdbx.OptMaxDB, 1); err != nil {
		return err
	}
	flags := uint(0)
	if s.config.readahead == 0 {
		flags |= mdbx.NoReadahead
	}
	if s.mode == adapter.Read {
		flags |= mdbx.Readonly
	} else if err := env.SetGeometry(-1, -1, int(s.config.mapSize), int(s.config.growth), -1, int(s.config.pageSize)); err != nil {
		return fmt.Errorf("MDBX does not support pages of %d bytes with a map of up to %d (%w): use a power of two for page_size, and a smaller map_size for small pages",
			s.config.pageSize, s.config.mapSize, err)
	}
	if err := env.Open(s.dir, flags, 0o644); err != nil {
		return fmt.Errorf("cannot open %s with MDBX: %w", s.dir, err)
	}
	if err := s.openTable(env); err != nil {
		return err
	}
	s.env = env
	return nil
}

// openTable opens the table, and creates it in a new store.
func (s *store) openTable(env *mdbx.Env) error {
	open := func(txn *mdbx.Txn) (err error) {
		flags := uint(0)
		if s.mode == adapter.Create {
			flags = mdbx.Create
		}
		s.table, err = txn.OpenDBISimple(tableName, flags)
		return err
	}
	if s.mode == adapter.Create {
		return env.Update(open)
	}
	return env.View(open)
}

func (s *store) Load(records []adapter.Record) error {
	for _, r := range records {
		s.loaded = append(s.loaded, adapter.Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
	}
	return nil
}

// Commit writes in key order, so that each page is written once. The last value of a key
// wins.
func (s *store) Commit() (root []byte, err error) {
	if s.env == nil {
		return nil, errNotOpen
	}
	loaded := s.loaded
	s.loaded = nil
	slices.SortStableFunc(loaded, func(a, b adapter.Record) int { return bytes.Compare(a.Key, b.Key) })
	return nil, s.env.Update(func(txn *mdbx.Txn) error {
		for _, r := range loaded {
			if err := txn.Put(s.table, r.Key, r.Value, mdbx.Upsert); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *store) Get(keys [][]byte, proofs bool, answers []adapter.Answer) error {
	switch {
	case s.env == nil:
		return errNotOpen
	case proofs:
		return errors.New("mdbx has no proofs")
	}
	return s.env.View(func(txn *mdbx.Txn) error {
		for i, key := range keys {
			value, err := txn.Get(s.table, key)
			switch a := &answers[i]; {
			case err == nil:
				a.Found = true
				a.Value = append(a.Value[:0], value...) // the library's value lies in the map
			case !mdbx.IsNotFound(err):
				return err
			}
		}
		return nil
	})
}

func (s *store) Check([]byte, []adapter.Claim) ([]bool, error) {
	return nil, errors.New("mdbx has no proofs")
}

// Stats describes the tree.
func (s *store) Stats() (stats []adapter.Stat, err error) {
	if s.env == nil {
		return nil, errNotOpen
	}
	err = s.env.View(func(txn *mdbx.Txn) error {
		st, err := txn.StatDBI(s.table)
		if err != nil {
			return err
		}
		count := func(name string, n uint64) adapter.Stat {
			return adapter.Stat{Name: name, Unit: "count", Value: float64(n)}
		}
		stats = []adapter.Stat{
			count("entries", st.Entries), count("depth", uint64(st.Depth)), count("branch_pages", st.BranchPages),
			count("leaf_pages", st.LeafPages), count("overflow_pages", st.OverflowPages),
			{Name: "page_size", Unit: "bytes", Value: float64(st.PSize)},
		}
		return nil
	})
	return stats, err
}

// DropCaches unmaps the file, because pages that a process maps stay in the page cache. Then
// it opens the store again.
func (s *store) DropCaches() error {
	if s.env == nil {
		return errNotOpen
	}
	s.env.Close()
	s.env = nil
	if s.mode == adapter.Create {
		s.mode = adapter.Write // it exists now
	}
	return s.open()
}

// Quiesce returns at once: commits are durable and leave no work behind.
func (s *store) Quiesce(func(string)) error { return nil }

func (s *store) Close() error {
	if s.env != nil {
		s.env.Close()
	}
	return nil
}
