//go:build cgo

package mdbx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/erigontech/mdbx-go/mdbx"

	"getio/engine"
	"getio/engine/option"
	"getio/statedb/adapter"
)

const (
	modulePath = "github.com/erigontech/mdbx-go"
	dataFile   = "mdbx.dat"
	lockFile   = "mdbx.lck"
	tableName  = "state"
	// Longer keys would need pages of more than 4 KiB.
	maxKey   = 1 << 10
	maxValue = 16 << 20
)

type library struct{}

// New returns MDBX as an adapter.
func New() (adapter.Engine, error) { return library{}, nil }

func (library) Hello() adapter.Hello {
	return adapter.Hello{
		Engine: "mdbx", EngineVersion: fmt.Sprintf("%s (mdbx-go %s)", mdbx.Version(), engine.ModuleVersion(modulePath)),
		Configurations: []adapter.Configuration{{
			Name: "table", About: "one B+tree; pages are cached by the kernel only",
			MinKey: 1, MaxKey: maxKey, MaxValue: maxValue, Ordered: true,
		}},
	}
}

// config is the options of a store.
type config struct {
	pageSize  int64
	mapSize   int64 // largest size of the file; this reserves addresses, not memory
	growth    int64 // step by which the file grows
	readahead int   // 1 lets the kernel read ahead of page faults
}

var options = option.List[config]{
	option.Number("page_size", "4KiB", 256, 64<<10, func(c *config) any { return &c.pageSize }),
	option.Number("map_size", "1TiB", 16<<20, 1<<46, func(c *config) any { return &c.mapSize }),
	option.Number("growth", "16MiB", 1<<20, 1<<34, func(c *config) any { return &c.growth }),
	option.Number("readahead", "0", 0, 1, func(c *config) any { return &c.readahead }),
}

func (library) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	s := &store{dir: o.Dir, mode: o.Mode, config: *options.Defaults()}
	for _, override := range o.Options {
		if err := options.Override(&s.config, override); err != nil {
			return nil, adapter.Opened{}, err
		}
	}
	if err := s.expect(); err != nil {
		return nil, adapter.Opened{}, err
	}
	if err := s.open(); err != nil {
		return nil, adapter.Opened{}, errors.Join(err, s.unmake())
	}
	var opened adapter.Opened
	for name, value := range options.Effective(&s.config) {
		opened.Options = append(opened.Options, adapter.Option{Name: name, Value: value})
	}
	return s, opened, nil
}

// expect refuses to create a store over existing files, and to open one that does not exist.
func (s *store) expect() error {
	if s.mode != adapter.Create {
		_, err := os.Stat(filepath.Join(s.dir, dataFile))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has no MDBX store (no %s)", s.dir, dataFile)
		}
		return err
	}
	if err := adapter.RequireEmpty(s.dir); err != nil {
		return err
	}
	_, err := os.Stat(s.dir)
	s.made = errors.Is(err, fs.ErrNotExist)
	return os.MkdirAll(s.dir, 0o755)
}

func (s *store) unmake() error {
	if s.mode != adapter.Create {
		return nil
	}
	err := errors.Join(os.RemoveAll(filepath.Join(s.dir, dataFile)), os.RemoveAll(filepath.Join(s.dir, lockFile)))
	if s.made {
		err = errors.Join(err, os.Remove(s.dir))
	}
	return err
}

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

// Commit writes in key order, so that each page is written once. The last value of a key wins.
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
			if err := answer(&answers[i], value, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// answer answers a lookup with what the library returned.
func answer(a *adapter.Answer, value []byte, err error) error {
	if mdbx.IsNotFound(err) {
		return nil
	}
	a.Found = err == nil
	a.Value = append(a.Value[:0], value...) // the library's value lies in the map
	return err
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
		stats = []adapter.Stat{
			adapter.Count("entries", int64(st.Entries)), adapter.Count("depth", int64(st.Depth)), adapter.Count("branch_pages", int64(st.BranchPages)),
			adapter.Count("leaf_pages", int64(st.LeafPages)), adapter.Count("overflow_pages", int64(st.OverflowPages)),
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
