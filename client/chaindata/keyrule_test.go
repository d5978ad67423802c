package chaindata

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// categoryByRule applies KeyRules.
func categoryByRule(all []KeyRule, key []byte) Category {
	for i := range all {
		if all[i].Fits(key) {
			return all[i].Category
		}
	}
	return Unaccounted
}

// TestKeyRulesAgree compares the rules with CategoryOf on keys with a few random bytes behind every
// prefix and singleton, of every length.
func TestKeyRulesAgree(t *testing.T) {
	all := KeyRules()
	prefixes := []string{"", "x", "u", "A\x01\x02\x03\x04\x05\x06\x07", "vA\x0f\x00\x01\x02\x03\x04"}
	for _, list := range rules {
		for _, r := range list {
			prefixes = append(prefixes, r.prefix)
		}
	}
	for _, key := range singletons {
		prefixes = append(prefixes, key)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, prefix := range prefixes {
		for length := range 110 {
			key := []byte(prefix)
			for len(key) < length {
				key = append(key, byte(random.Uint32())&0x0f) // paths have nibbles
			}
			want := CategoryOf(key, nil)
			if want == Unaccounted && len(key) == hashLen {
				want = HashNodes // without the value, it may be
			}
			got := categoryByRule(all, key)
			if want == Unaccounted && (got == Metadata && len(prefix) >= 8 || got == Difficulties || got == NumberToHash) {
				continue // no key of geth: it is another in its ninth byte or later
			}
			assert.Equal(t, want, got, "%q", key)
		}
	}
}
