//go:build cgo

package mdbx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/erigontech/mdbx-go/mdbx"

	"getio/statedb/adapter"
)

// reader serves the tables of an existing database, which it does not change.
type reader struct{}

// NewReader returns an adapter that looks keys up in tables of an existing database. Its options
// name the tables, as table=NAME each; the keys of Get are those of AppendLookup. The directory
// may hold no more than a link to the data file: then nothing is written beside that file.
func NewReader() (adapter.Engine, error) { return reader{}, nil }

func (reader) Hello() adapter.Hello {
	hello := library{}.Hello()
	hello.Configurations = []adapter.Configuration{{
		Name: "client", About: "tables of an existing database", MinKey: lookupBytes, MaxKey: 1 << 17, MaxValue: maxValue,
	}}
	return hello
}

func (reader) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	if o.Mode != adapter.Read {
		return nil, adapter.Opened{}, errors.New("an existing database is only read")
	}
	var names []string
	for _, option := range o.Options {
		name, ok := strings.CutPrefix(option, TableOption)
		if !ok {
			return nil, adapter.Opened{}, fmt.Errorf("option %q is not known: use %sNAME", option, TableOption)
		}
		names = append(names, name)
	}
	s := &tables{}
	if err := s.open(o.Dir, names); err != nil {
		return nil, adapter.Opened{}, errors.Join(err, s.Close())
	}
	return s, adapter.Opened{}, nil
}

// tables are tables of an open database.
type tables struct {
	env     *mdbx.Env
	tables  []mdbx.DBI
	dupSort []bool
}

var errOnlyLookups = errors.New("an existing database only answers lookups")

func (*tables) Load([]adapter.Record) error                   { return errOnlyLookups }
func (*tables) Commit() ([]byte, error)                       { return nil, errOnlyLookups }
func (*tables) Check([]byte, []adapter.Claim) ([]bool, error) { return nil, errOnlyLookups }
func (*tables) Stats() ([]adapter.Stat, error)                { return nil, nil }
func (*tables) DropCaches() error                             { return errOnlyLookups }
func (*tables) Quiesce(func(string)) error                    { return nil }

func (s *tables) open(dir string, names []string) (err error) {
	if s.env, err = mdbx.NewEnv(mdbx.Default); err != nil {
		return err
	}
	if err := s.env.SetOption(mdbx.OptMaxDB, uint64(max(len(names), 1))); err != nil {
		return err
	}
	// Clients turn readahead off too. Of the flags of reth and erigon, only this one bears on reads.
	if err := s.env.Open(dir, mdbx.Readonly|mdbx.NoReadahead|mdbx.Exclusive, 0o600); err != nil {
		return cannotOpen(err)
	}
	return s.env.View(func(txn *mdbx.Txn) error {
		for _, name := range names {
			table, err := txn.OpenDBISimple(name, mdbx.DBAccede)
			if err != nil {
				return fmt.Errorf("cannot open the table %s: %w", name, err)
			}
			flags, err := txn.Flags(table)
			if err != nil {
				return err
			}
			s.tables, s.dupSort = append(s.tables, table), append(s.dupSort, flags&mdbx.DupSort != 0)
		}
		return nil
	})
}

func cannotOpen(err error) error {
	if mdbx.IsErrno(err, mdbx.VersionMismatch) || mdbx.IsErrno(err, mdbx.Invalid) || mdbx.IsErrno(err, mdbx.Incompatible) {
		return fmt.Errorf("it is MDBX, written by another version than libmdbx %s can open (%w): use a getio made for it", mdbx.Version(), err)
	}
	return fmt.Errorf("MDBX cannot open it (%w): if its client was killed, start and stop the client, so that it recovers the database", err)
}

// Get looks keys up in one transaction, in a table with several values of a key by key and value.
func (s *tables) Get(keys [][]byte, _ bool, answers []adapter.Answer) error {
	return s.env.View(func(txn *mdbx.Txn) error {
		cursors := make([]*mdbx.Cursor, len(s.tables))
		defer func() {
			for _, c := range cursors {
				if c != nil {
					c.Close()
				}
			}
		}()
		for i, lookup := range keys {
			table, key, value, ok := splitLookup(lookup)
			if !ok || table >= len(s.tables) {
				return errors.New("invalid lookup")
			}
			if cursors[table] == nil {
				c, err := txn.OpenCursor(s.tables[table])
				if err != nil {
					return err
				}
				cursors[table] = c
			}
			var found []byte
			var err error
			if s.dupSort[table] {
				_, found, err = cursors[table].Get(key, value, mdbx.GetBothRange)
			} else {
				_, found, err = cursors[table].Get(key, nil, mdbx.SetKey)
			}
			if err := answer(&answers[i], found, err); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *tables) Close() error {
	if s.env != nil {
		s.env.Close()
	}
	return nil
}
