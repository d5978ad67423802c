package gethstate

import (
	"context"
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"getio/engine"
	"getio/ethereum/chain"
	"getio/ethereum/chainload"
	"getio/statedb/engineadapter"
)

// reader reads the state without geth's own caches.
type reader struct {
	opened engine.Store
	chain  *chain.Chain
	state  chain.State
	cold   engineadapter.ColdReads
	reads  int64 // of tables
}

func newReader(ctx context.Context, e engine.Engine, dir string, cacheBytes int64) (*reader, error) {
	opened, err := chainload.OpenReadOnly(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	r := &reader{opened: opened}
	count := func(t engine.TableRead) {
		r.reads++
		r.cold.Read(t)
	}
	r.chain, err = chain.Open(opened, chain.Place{Dir: dir, Ancient: dir}, engine.OpenConfig{CacheBytes: cacheBytes, Trace: count})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	r.state, err = r.chain.FindState()
	if err != nil && r.chain.HeadRoot() == types.EmptyRootHash {
		r.state, err = chain.State{Root: types.EmptyRootHash}, nil // nothing was written yet
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *reader) close() error { return errors.Join(r.chain.Close(), r.opened.Close()) }

// account reads an account as the trie encodes it: from the flat state, if there is one.
func (r *reader) account(hash common.Hash) ([]byte, error) {
	r.cold.Next()
	switch {
	case r.state.Root == types.EmptyRootHash:
		return nil, nil
	case !r.state.Flat:
		return r.chain.TrieBlob(hash)
	}
	blob, err := r.chain.FlatBlob(hash)
	if err != nil || len(blob) == 0 {
		return nil, err
	}
	return full(blob), nil
}
