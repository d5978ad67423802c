package gethstate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/trie/trienode"

	"getio/engine"
	"getio/ethereum/chain"
	"getio/ethereum/chainload"
	"getio/statedb/adapter"
	"getio/statedb/engineadapter"
)

// store is a state that is open either for writing or for reading. It is reopened when a request
// needs the other.
type store struct {
	geth
	dir, scheme string
	cache       int64 // of blocks, in bytes
	root        common.Hash

	writer *writer // while writing
	reader *reader // while reading
	proofs []proof // of the last lookups
}

type proof struct {
	key   common.Hash
	nodes *trienode.ProofSet
}

func (s *store) open(mode adapter.Mode) error {
	if mode == adapter.Create {
		return s.toWrite()
	}
	if err := s.toRead(); err != nil {
		return err
	}
	s.root = s.reader.state.Root
	if found := s.reader.state.Scheme; found != "" && found != s.scheme {
		return fmt.Errorf("%s has a state of the %s scheme, not of the %s scheme: open it as what it is", s.dir, found, s.scheme)
	}
	return nil
}

// rootBytes is empty as long as the state is.
func (s *store) rootBytes() []byte {
	if s.root == (common.Hash{}) || s.root == types.EmptyRootHash {
		return nil
	}
	return s.root.Bytes()
}

func (s *store) toWrite() (err error) {
	if s.writer != nil {
		return nil
	}
	if err := s.stopReading(); err != nil {
		return err
	}
	if s.root == (common.Hash{}) {
		s.root = types.EmptyRootHash
	}
	s.writer, err = newWriter(s.ctx, s.dir, s.scheme, s.root)
	return err
}

// toRead opens the store for reading with an empty cache, if it is not.
func (s *store) toRead() (err error) {
	if s.reader != nil {
		return nil
	}
	if err := s.stopWriting(func(string) {}); err != nil {
		return err
	}
	s.reader, err = newReader(s.ctx, s.engine, s.dir, s.cache)
	return err
}

func (s *store) stopReading() error {
	if s.reader == nil {
		return nil
	}
	err := s.reader.close()
	s.reader = nil
	return err
}

// stopWriting writes everything to the store, as geth does when it stops, and has the store settle. Pebble
// keeps old logs to write over them. It removes them when the store is opened again.
func (s *store) stopWriting(working func(string)) error {
	if s.writer == nil {
		return nil
	}
	report := func(p engine.SettleProgress) { working(fmt.Sprintf("%d compactions under way", p.Compactions)) }
	err := s.writer.close(s.ctx, report)
	s.writer = nil
	if err != nil {
		return err
	}
	return chainload.Settle(s.ctx, s.engine, s.dir, report)
}

func (s *store) Load(records []adapter.Record) error {
	if err := s.toWrite(); err != nil {
		return err
	}
	s.writer.load(records)
	return nil
}

// Commit makes what was loaded part of the state, in memory. Like geth, it writes the state when the
// store is quiet or closed, or when memory is short.
func (s *store) Commit() ([]byte, error) {
	if err := s.toWrite(); err != nil {
		return nil, err
	}
	root, err := s.writer.commit()
	if err == nil {
		s.root = root
	}
	return s.rootBytes(), err
}

func (s *store) Get(keys [][]byte, proofs bool, answers []adapter.Answer) error {
	if err := s.toRead(); err != nil {
		return err
	}
	s.proofs = s.proofs[:0]
	for i, key := range keys {
		hash := common.BytesToHash(key)
		blob, err := s.reader.account(hash)
		if err != nil {
			return err
		}
		a := &answers[i]
		a.Found = len(blob) > 0
		a.Value = append(a.Value[:0], blob...)
		if !proofs {
			continue
		}
		nodes := trienode.NewProofSet()
		if err := s.reader.chain.Prove(hash, nodes); err != nil {
			return err
		}
		a.Proof = uint32(nodes.DataSize())
		s.proofs = append(s.proofs, proof{hash, nodes})
	}
	return nil
}

func (s *store) Check(root []byte, claims []adapter.Claim) (proven []bool, err error) {
	if len(root) != common.HashLength {
		return nil, errors.New("roots have 32 bytes")
	}
	for i, c := range claims {
		value, err := trie.VerifyProof(common.BytesToHash(root), s.proofs[i].key[:], s.proofs[i].nodes)
		proven = append(proven, err == nil && c.Present == (len(value) > 0) && string(c.Value) == string(value))
	}
	return proven, nil
}

func (s *store) Stats() ([]adapter.Stat, error) {
	if s.reader == nil {
		return nil, nil
	}
	return append(s.reader.cold.Stats(), adapter.Count("file_reads", s.reader.reads)), nil
}

// DropCaches closes the store; the next lookup opens it with an empty cache.
func (s *store) DropCaches() error { return s.stopReading() }

func (s *store) Quiesce(working func(string)) error { return s.stopWriting(working) }

func (s *store) Close() error { return cmp.Or(s.stopReading(), s.stopWriting(func(string) {})) }

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
