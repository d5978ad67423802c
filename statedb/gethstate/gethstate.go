// Package gethstate serves geth's state over the adapter protocol: accounts in a Merkle Patricia trie
// on Pebble, under the path scheme with its flat state, and under the hash scheme. go-ethereum's own
// code writes them, to Pebble with geth's options, and package chain reads them as for 'chain measure'.
package gethstate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ethereum/go-ethereum/core/rawdb"

	"getio/engine"
	"getio/statedb/adapter"
	"getio/workload/dataset"
)

type geth struct {
	ctx    context.Context
	engine engine.Engine
}

// Engine is the name of the engine that reads what geth's Pebble writes.
const Engine = "pebblev2"

// New returns geth's state as an adapter. The engine is the one named Engine. Long operations end
// when ctx is done.
func New(ctx context.Context, e engine.Engine) adapter.Engine { return geth{ctx, e} }

// keySize is the size of keys, which are taken for hashes of addresses.
const keySize = 32

func (geth) Hello() adapter.Hello {
	configuration := func(scheme, about string) adapter.Configuration {
		return adapter.Configuration{
			Name: scheme, About: about, MinKey: keySize, MaxKey: keySize,
			ValueSizes: []uint32{dataset.AccountSize}, MinValue: dataset.AccountSize, MaxValue: dataset.AccountSize,
			Proofs: adapter.AllProofs, Ordered: true, Caches: []adapter.Cache{{Name: "block cache"}},
		}
	}
	return adapter.Hello{
		Engine: "geth", EngineVersion: "go-ethereum " + engine.ModuleVersion("github.com/ethereum/go-ethereum"),
		Configurations: []adapter.Configuration{
			configuration(rawdb.PathScheme, "path scheme: one Get of the flat state; proofs from trie nodes by path"),
			configuration(rawdb.HashScheme, "hash scheme without flat state: down the trie, a Get for each node by hash"),
		},
	}
}

func (g geth) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	if len(o.Options) > 0 {
		return nil, adapter.Opened{}, fmt.Errorf("option %s is not known: there are none", o.Options[0])
	}
	if err := expect(o); err != nil {
		return nil, adapter.Opened{}, err
	}
	s := &store{geth: g, dir: o.Dir, scheme: o.Configuration, cache: int64(o.CacheBytes)}
	if err := s.open(o.Mode); err != nil {
		return nil, adapter.Opened{}, errors.Join(err, s.Close())
	}
	return s, adapter.Opened{Root: s.rootBytes(), Options: []adapter.Option{
		{Name: "cache_bytes", Value: strconv.FormatUint(o.CacheBytes, 10)}, {Name: "state.scheme", Value: s.scheme},
	}}, nil
}

// expect refuses to create a store over existing files, and to open one that does not exist.
func expect(o adapter.Open) error {
	if o.Mode == adapter.Create {
		return adapter.RequireEmpty(o.Dir)
	}
	_, err := os.Stat(filepath.Join(o.Dir, "CURRENT"))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Join(o.Dir, "LOCK"))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no store of this engine", o.Dir)
	}
	return err
}
