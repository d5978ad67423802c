package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"getio/record"
	"getio/statedb/adapter"
)

// trial runs a session with one configuration of an adapter.
type trial struct {
	Plan
	ctx           context.Context
	passed        func(record.AdapterStep)
	configuration adapter.Configuration
	dir           string

	client *adapter.Client
	state  *state
	root   []byte
}

// batch is the number of keys or records per frame. It divides nothing, so that the last
// frame is short.
const batch = 257

// step is one test. It returns what was seen.
type step struct {
	name string
	do   func() (detail string, err error)
}

func (t *trial) run() error {
	t.state = newState(t.configuration, t.Seed)
	defer func() {
		if t.client != nil {
			t.client.Kill()
		}
	}()
	for _, s := range t.steps() {
		detail, err := s.do()
		if err != nil {
			return failed(t.ctx, t.configuration.Name, s.name, err)
		}
		t.passed(record.AdapterStep{Configuration: t.configuration.Name, Name: s.name, Detail: detail})
	}
	return nil
}

func (t *trial) steps() []step {
	steps := []step{
		{"create", quiet(func() error { return t.restart(adapter.Create) })},
		{"look up in an empty store", t.lookUp},
		{"load", func() (string, error) { return t.load(t.state.add(t.Keys)) }},
		{"look up", t.lookUp},
		{"look up nothing", quiet(t.lookUpNothing)},
		{"one key twice in a commit", quiet(t.twice)},
		{"update", func() (string, error) { return t.load(append(t.state.update(7), t.state.add(t.Keys/10)...)) }},
		{"look up what was updated", t.lookUp},
	}
	if t.configuration.Proofs != adapter.NoProofs {
		steps = append(steps, step{"prove", t.prove})
	}
	return append(steps,
		step{"stats", t.stats},
		step{"drop caches", t.thenLookUp(func() error { return t.client.DropCaches() })},
		step{"quiesce", t.thenLookUp(func() error { return t.client.Quiesce() })},
		step{"killed when quiet, opened to write", t.thenLookUp(t.killed)},
		step{"killed in mid-commit, committed again", t.killedInCommits},
		step{"load more", func() (string, error) { return t.load(append(t.state.update(11), t.state.add(t.Keys/10)...)) }},
		step{"close", quiet(t.close)},
		step{"create where a store is", quiet(func() error { return t.refusesOpen(t.open(adapter.Create)) })},
		step{"unknown option", quiet(func() error {
			o := t.open(adapter.Read)
			o.Options = append(slices.Clone(o.Options), "no_such_option=1")
			return t.refusesOpen(o)
		})},
		step{"open to read", t.thenLookUp(func() error { return t.reopen(adapter.Read) })},
		step{"load what was opened to read", quiet(func() error {
			return requireRefused(t.client.Load([]adapter.Record{{Key: t.state.fresh(), Value: t.state.bytes(t.state.valueSizes[0])}}))
		})},
		step{"ended and started again", t.thenLookUp(func() error { return t.restart(adapter.Read) })},
		step{"frames", t.frames},
		step{"end", quiet(t.end)},
	)
}

// quiet is for steps with nothing to report.
func quiet(do func() error) func() (string, error) {
	return func() (string, error) { return "", do() }
}

// open returns the request to open the trial's store.
func (t *trial) open(mode adapter.Mode) adapter.Open {
	return adapter.Open{
		Dir: t.dir, Configuration: t.configuration.Name, Mode: mode,
		Keys: uint64(2 * t.Keys), CacheBytes: t.CacheBytes, Options: t.Options,
	}
}

// restart ends the child, if any, and opens the store in a new one.
func (t *trial) restart(mode adapter.Mode) error {
	if t.client != nil {
		if err := t.end(); err != nil {
			return err
		}
	}
	client, err := t.start(t.ctx)
	if err != nil {
		return err
	}
	t.client = client
	return t.reopen(mode)
}

// reopen opens the store and compares its root with the last one.
func (t *trial) reopen(mode adapter.Mode) error {
	opened, err := t.client.Open(t.open(mode))
	if err == nil && !bytes.Equal(opened.Root, t.root) {
		err = fmt.Errorf("the root is %x, and was %x", opened.Root, t.root)
	}
	return err
}

func (t *trial) end() error {
	client := t.client
	t.client = nil
	return client.End()
}

// load loads records in batches with a commit in between, and checks the root.
func (t *trial) load(records []adapter.Record) (string, error) {
	before := t.root
	half := len(records) / 2
	for _, part := range [][]adapter.Record{records[:half], records[half:]} {
		if err := t.send(part); err != nil {
			return "", err
		}
		var err error
		if t.root, err = t.client.Commit(); err != nil {
			return "", err
		}
	}
	detail := fmt.Sprintf("%d records", len(records))
	if len(t.root) == 0 {
		if t.configuration.Proofs != adapter.NoProofs {
			return "", errors.New("it offers proofs, but its commit returned no root")
		}
		return detail, nil
	}
	if len(records) > 0 && bytes.Equal(t.root, before) {
		return "", fmt.Errorf("the root is still %x after %d records were loaded", t.root, len(records))
	}
	return fmt.Sprintf("%s, root %x", detail, t.root[:min(4, len(t.root))]), nil
}

// send loads records in batches.
func (t *trial) send(records []adapter.Record) error {
	for some := range slices.Chunk(records, batch) {
		if err := t.client.Load(some); err != nil {
			return err
		}
	}
	return nil
}

// lookUp looks up all keys and absent ones, and compares the answers.
func (t *trial) lookUp() (string, error) {
	asked := t.state.ask()
	for keys := range slices.Chunk(asked, batch) {
		if _, err := t.get(keys, false); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d keys", len(asked)), nil
}

// get looks up keys and compares the answers with the truth.
func (t *trial) get(keys [][]byte, proofs bool) ([]adapter.Answer, error) {
	answers, _, err := t.client.Get(keys, proofs)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		truth := t.state.claim(key)
		switch a := answers[i]; {
		case !truth.Present && a.Found:
			return nil, fmt.Errorf("wrong value: key %x was never loaded but was found", key)
		case truth.Present && !a.Found:
			return nil, fmt.Errorf("wrong value: key %x was loaded but was not found", key)
		case !bytes.Equal(a.Value, truth.Value):
			return nil, fmt.Errorf("wrong value: key %x has %s, but %s was loaded", key, show(a.Value), show(truth.Value))
		}
	}
	return answers, nil
}

// show abbreviates a value.
func show(value []byte) string {
	if len(value) <= 8 {
		return fmt.Sprintf("%x (%d bytes)", value, len(value))
	}
	return fmt.Sprintf("%x... (%d bytes)", value[:8], len(value))
}

// thenLookUp does something and checks that the contents are unchanged.
func (t *trial) thenLookUp(do func() error) func() (string, error) {
	return func() (string, error) {
		if err := do(); err != nil {
			return "", err
		}
		return t.lookUp()
	}
}

// lookUpNothing sends requests for no keys, and for one.
func (t *trial) lookUpNothing() error {
	if _, err := t.get(nil, false); err != nil {
		return err
	}
	_, err := t.get([][]byte{t.state.fresh()}, false)
	return err
}

// twice loads a key twice in one commit; the later value counts. The other records keep the
// key from being the only change.
func (t *trial) twice() (err error) {
	key := t.state.keys[0]
	records := []adapter.Record{t.state.set(key), t.state.set(t.state.keys[len(t.state.keys)/2]), t.state.set(key)}
	if err := t.client.Load(records); err != nil {
		return err
	}
	if t.root, err = t.client.Commit(); err != nil {
		return err
	}
	_, err = t.get([][]byte{key}, false)
	return err
}

func (t *trial) stats() (string, error) {
	stats, err := t.client.Stats()
	if err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, s := range stats {
		if s.Name == "" || seen[s.Name] {
			return "", fmt.Errorf("the name %q is empty or used twice", s.Name)
		}
		seen[s.Name] = true
	}
	return fmt.Sprintf("%d numbers", len(stats)), nil
}

// killed kills the child and opens the store in a new one. The child must die before it sees
// the end of the session, because it would close the store then.
func (t *trial) killed() error {
	t.client.Kill()
	t.client = nil
	return t.restart(adapter.Write)
}

// close closes the store, after which lookups must be refused.
func (t *trial) close() error {
	if err := t.client.Close(); err != nil {
		return err
	}
	_, _, err := t.client.Get(nil, false)
	return requireRefused(err)
}

func (t *trial) refusesOpen(o adapter.Open) error {
	_, err := t.client.Open(o)
	return requireRefused(err)
}

// frames measures an empty request.
func (t *trial) frames() (string, error) {
	const requests = 400
	var took [requests]time.Duration
	for i := range took {
		begin := time.Now()
		if _, _, err := t.client.Get(nil, false); err != nil {
			return "", err
		}
		took[i] = time.Since(begin)
	}
	slices.Sort(took[:])
	return fmt.Sprintf("%.1f us for a request without keys", float64(took[requests/2].Nanoseconds())/1e3), nil
}

// requireRefused returns nil if err says that the adapter refused a request.
func requireRefused(err error) error {
	if refused, ok := errors.AsType[*adapter.Refused](err); ok {
		if refused.Text == "" {
			return errors.New("it was refused, and no reason was given")
		}
		return nil
	}
	if err == nil {
		err = errors.New("it was not refused")
	}
	return err
}

// prove looks up keys with proofs and has them checked: they must prove the truth under the
// root of the last commit, and nothing else.
func (t *trial) prove() (string, error) {
	asked := t.state.ask()
	if t.configuration.Proofs == adapter.ProofsOfPresence {
		asked = slices.DeleteFunc(asked, func(key []byte) bool { return !t.state.claim(key).Present })
	}
	var size, n int
	for keys := range slices.Chunk(asked, batch) {
		answers, err := t.get(keys, true)
		if err != nil {
			return "", err
		}
		for i, a := range answers {
			if a.Proof == 0 {
				return "", fmt.Errorf("the lookup of key %x returned no proof", keys[i])
			}
			size += int(a.Proof)
		}
		n += len(keys)
		if err := t.checkProofs(keys); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d keys, %d bytes per proof", n, size/n), nil
}

// checkProofs checks the proofs of the last lookups against true and false claims.
func (t *trial) checkProofs(keys [][]byte) error {
	claims := func(change func(adapter.Claim) adapter.Claim) (all []adapter.Claim) {
		for _, key := range keys {
			all = append(all, change(t.state.claim(key)))
		}
		return all
	}
	otherRoot := slices.Clone(t.root)
	otherRoot[len(otherRoot)/2] ^= 4
	for _, c := range []struct {
		what   string
		root   []byte
		claims []adapter.Claim
		proven bool
	}{
		{"what is true is not proven", t.root, claims(func(c adapter.Claim) adapter.Claim { return c }), true},
		{"it is proven under a root that the store never had", otherRoot, claims(func(c adapter.Claim) adapter.Claim { return c }), false},
		{"another value is proven, or that an absent key has one", t.root, claims(t.otherValue), false},
		{"it is proven that a key that is there is absent, or that an absent key has a value", t.root, claims(t.otherPresence), false},
	} {
		proven, err := t.client.Check(c.root, c.claims)
		if err != nil {
			return err
		}
		for i, p := range proven {
			if p != c.proven {
				return fmt.Errorf("key %x: %s", keys[i], c.what)
			}
		}
	}
	return nil
}

// otherValue claims another value of the same size, or a value for an absent key.
func (t *trial) otherValue(c adapter.Claim) adapter.Claim {
	value := slices.Clone(c.Value)
	if len(value) == 0 {
		value = t.state.bytes(t.state.valueSizes[len(t.state.valueSizes)-1])
	}
	value[len(value)/2] ^= 4
	return adapter.Claim{Present: true, Value: value}
}

// otherPresence claims that a present key is absent, and vice versa.
func (t *trial) otherPresence(c adapter.Claim) adapter.Claim {
	if c.Present {
		return adapter.Claim{}
	}
	return adapter.Claim{Present: true, Value: t.state.bytes(t.state.valueSizes[0])}
}
