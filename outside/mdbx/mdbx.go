//go:build cgo

package mdbx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/erigontech/mdbx-go/mdbx"

	"getio/engine"
	"getio/engine/option"
	"getio/outside/adapter"
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
	option.Bytes("page_size", 256, 64<<10, func(c *config) *int64 { return &c.pageSize }),
	option.Bytes("map_size", 16<<20, 1<<46, func(c *config) *int64 { return &c.mapSize }),
	option.Bytes("growth", 1<<20, 1<<34, func(c *config) *int64 { return &c.growth }),
	option.Int("readahead", 0, 1, func(c *config) *int { return &c.readahead }),
}

func (library) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	s := &store{dir: o.Dir, mode: o.Mode, config: config{pageSize: 4 << 10, mapSize: 1 << 40, growth: 16 << 20}}
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
	entries, err := os.ReadDir(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.made = true
		return os.MkdirAll(s.dir, 0o755)
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s is not empty: choose an empty directory", s.dir)
	}
	return err
}

// unmake removes what a failed creation made.
func (s *store) unmake() error {
	if s.mode != adapter.Create {
		return nil
	}
	made := []string{filepath.Join(s.dir, dataFile), filepath.Join(s.dir, lockFile)}
	if s.made {
		made = append(made, s.dir)
	}
	for _, path := range made {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
