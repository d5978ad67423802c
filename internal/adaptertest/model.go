// Package adaptertest has a minimal store behind the protocol, and ways for it to go wrong.
// Tests of the protocol use it.
package adaptertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"getio/statedb/adapter"
)

// Engine is the model.
type Engine struct{ Fault Fault }

const fileName = "model"

// committing is the end of the name of a file that stands for an unfinished commit.
const committing = ".committing"

// Hello offers two configurations like those of state databases: one takes only certain
// value sizes, one hashes keys.
func (e Engine) Hello() adapter.Hello {
	return adapter.Hello{
		Engine: "model", EngineVersion: "1", Patches: []string{"none"},
		Configurations: []adapter.Configuration{
			{Name: "accounts", About: "values of two sizes", MinKey: 20, MaxKey: 20, ValueSizes: []uint32{32, 72},
				MinValue: 32, MaxValue: 72, KeyHash: "sha256", Proofs: adapter.AllProofs, MemoryPerKey: 92.5,
				Caches: []adapter.Cache{{Name: "everything", Least: 1 << 20, Stays: true}}},
			{Name: "bytes", About: "values of any size", MinKey: 1, MaxKey: 64, MaxValue: 1 << 16, Ordered: true},
		},
	}
}

func (e Engine) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	if len(o.Options) > 0 && e.Fault != AnyOption {
		return nil, adapter.Opened{}, fmt.Errorf("option %s is not known: there are none", o.Options[0])
	}
	path := filepath.Join(o.Dir, fileName)
	data, err := os.ReadFile(path)
	if there := err == nil; there == (o.Mode == adapter.Create) && e.Fault != CreatesOver {
		return nil, adapter.Opened{}, fmt.Errorf("%s: a store is there: %v", o.Dir, there)
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, adapter.Opened{}, err
	}
	s := &store{engine: e, path: path, values: map[string][]byte{}, proofs: o.Configuration == "accounts"}
	if o.Mode != adapter.Create {
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s.values); err != nil {
			return nil, adapter.Opened{}, err
		}
	}
	if err := s.write(s.values); err != nil {
		return nil, adapter.Opened{}, err
	}
	_, err = os.Stat(path + committing)
	s.stuck, s.quiet = err == nil, maps.Clone(s.values)
	root := s.root()
	if e.Fault == OtherRoot && o.Mode == adapter.Read {
		root = bytes.Repeat([]byte{7}, 32)
	}
	return s, adapter.Opened{Root: root, Options: []adapter.Option{{Name: "kept", Value: "yes"}}}, nil
}

// store keeps everything in memory, and writes all of it to one file on commit.
type store struct {
	engine  Engine
	path    string
	values  map[string][]byte
	proofs  bool
	asked   [][]byte // keys of the last lookups
	proven  []byte   // root at the time of the last lookups
	lookups int      // number so far

	quiet map[string][]byte // contents when it was last quiet
	stuck bool              // it was killed in a commit, with the fault StuckAfterKill
}

func (s *store) Load(records []adapter.Record) error {
	for _, r := range records {
		if _, there := s.values[string(r.Key)]; there && s.engine.Fault == ForgetsUpdates {
			continue
		}
		s.values[string(r.Key)] = bytes.Clone(r.Value)
	}
	return nil
}

func (s *store) Commit() ([]byte, error) {
	if s.stuck {
		return nil, errors.New("the model's last commit was never finished")
	}
	kept := s.values
	switch s.engine.Fault {
	case LosesOnKill:
		kept = map[string][]byte{}
	case TearsCommits:
		kept = s.halfCommitted()
	case StuckAfterKill:
		if err := os.WriteFile(s.path+committing, nil, 0o644); err != nil {
			return nil, err
		}
	}
	return s.root(), s.write(kept)
}

// halfCommitted is the contents with every other change since the store was last quiet.
func (s *store) halfCommitted() map[string][]byte {
	kept, odd := maps.Clone(s.quiet), false
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		if bytes.Equal(kept[key], s.values[key]) {
			continue
		}
		if odd = !odd; odd {
			kept[key] = s.values[key]
		}
	}
	return kept
}

// write replaces the file at once, so that a kill leaves the old one or the new one.
func (s *store) write(values map[string][]byte) error {
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(values); err != nil {
		return err
	}
	if err := os.WriteFile(s.path+".new", data.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}

// root hashes the contents.
func (s *store) root() []byte {
	if !s.proofs || len(s.values) == 0 {
		return nil
	}
	h := sha256.New()
	if s.engine.Fault != ConstantRoot {
		for _, key := range slices.Sorted(maps.Keys(s.values)) {
			h.Write([]byte(key))
			h.Write(s.values[key])
		}
	}
	return h.Sum(nil)
}

func (s *store) Get(keys [][]byte, proofs bool, answers []adapter.Answer) error {
	for i, key := range keys {
		s.lookups++
		value, found := s.values[string(key)]
		if s.engine.Fault == FindsAbsent && !found {
			value, found = make([]byte, 32), true
		}
		answers[i].Found = found
		answers[i].Value = append(answers[i].Value[:0], value...)
		switch {
		case s.engine.Fault == WrongValue && found && s.lookups > 100:
			answers[i].Value[0] ^= 1
		case s.engine.Fault == OddValue && found:
			answers[i].Value = append(answers[i].Value, 0)
		}
		if proofs && s.engine.Fault != NoProofs {
			answers[i].Proof = uint32(32 + len(value))
		}
	}
	s.asked = s.asked[:0]
	for _, key := range keys {
		s.asked = append(s.asked, bytes.Clone(key))
	}
	s.proven = s.root()
	return nil
}

func (s *store) Check(root []byte, claims []adapter.Claim) (proven []bool, err error) {
	for i, c := range claims {
		value, found := s.values[string(s.asked[i])]
		proves := bytes.Equal(root, s.proven) && c.Present == found && bytes.Equal(c.Value, value)
		switch s.engine.Fault {
		case ProvesAnything:
			proves = true
		case ProvesNothing:
			proves = false
		case IgnoresRoot:
			proves = c.Present == found && bytes.Equal(c.Value, value)
		case IgnoresValue:
			proves = bytes.Equal(root, s.proven) && c.Present == found
		}
		proven = append(proven, proves)
	}
	return proven, nil
}

func (s *store) Stats() ([]adapter.Stat, error) {
	if s.engine.Fault == TwoStatsOfAName {
		return []adapter.Stat{{Name: "keys"}, {Name: "keys"}}, nil
	}
	return []adapter.Stat{{Name: "keys", Unit: "count", Value: float64(len(s.values))}}, nil
}

func (s *store) DropCaches() error {
	if s.engine.Fault == DropsTooMuch {
		clear(s.values)
	}
	return nil
}

func (s *store) Quiesce(working func(string)) error {
	working("nothing in particular")
	s.quiet = maps.Clone(s.values)
	os.Remove(s.path + committing)
	if s.engine.Fault == TearsCommits {
		return s.write(s.values)
	}
	return nil
}

func (s *store) Close() error {
	if s.engine.Fault == FailsToClose {
		return errors.New("the model does not like to be closed")
	}
	return s.write(s.values)
}
