package conformance

import (
	"fmt"
	"slices"

	"getio/outside/adapter"
)

// prove looks up keys with proofs and has them checked: they must prove the truth under the
// root of the last commit, and nothing else.
func (t *trial) prove() (string, error) {
	asked := t.state.ask()
	var size, n int
	for keys := range slices.Chunk(asked, batch) {
		answers, _, err := t.client.Get(keys, true)
		if err != nil {
			return "", err
		}
		if err := t.compare(keys, answers); err != nil {
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
