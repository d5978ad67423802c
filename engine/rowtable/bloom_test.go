package rowtable

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v1bloom "github.com/cockroachdb/pebble/bloom"
	v2 "github.com/cockroachdb/pebble/v2"
	v2bloom "github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
)

// Filters are identical to those of both libraries for every number of keys and bits.
func TestFiltersMatchLibraries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{1, 2, 7, 10, 16, 44, 60} {
		for _, n := range []int{1, 2, 50, 51, 52, 103, 1_000, 20_000} {
			one := v1bloom.FilterPolicy(bits).NewWriter(v1.TableFilter)
			two := v2bloom.FilterPolicy(bits).NewWriter(v2.TableFilter)
			f, size := filter{bits: bits}, filter{bits: bits, sizeOnly: true}
			for range n {
				var key [KeySize]byte
				for i := 0; i < KeySize; i += 8 {
					binary.LittleEndian.PutUint64(key[i:], random.Uint64())
				}
				one.AddKey(key[:])
				two.AddKey(key[:])
				f.add(&key)
				size.add(&key)
			}
			want, got := one.Finish(nil), f.build()
			require.Equal(t, two.Finish(nil), want, "%d keys of %d bits: the libraries differ", n, bits)
			assert.Equal(t, want, got, "%d keys of %d bits: not the library's filter", n, bits)
			if f.size() != len(want) || size.size() != len(want) {
				t.Errorf("%d keys of %d bits: %d bytes, by number alone %d, want %d", n, bits, f.size(), size.size(), len(want))
			}
		}
	}
}

// Successive keys with equal hashes count once, as in the libraries.
func TestEqualHashesCountOnce(t *testing.T) {
	one := v1bloom.FilterPolicy(10).NewWriter(v1.TableFilter)
	f := filter{bits: 10}
	var key [KeySize]byte
	for i := range 300 {
		key[0] = byte(i / 100)
		one.AddKey(key[:])
		f.add(&key)
	}
	if f.n != 3 || !bytes.Equal(f.build(), one.Finish(nil)) {
		t.Errorf("%d keys were counted, or another filter made", f.n)
	}
}

func TestNoFilter(t *testing.T) {
	f := filter{}
	f.add(&[KeySize]byte{1})
	if f.n != 0 || f.size() != blockformat.FilterTailLen {
		t.Errorf("a table without a filter counts %d keys in %d bytes", f.n, f.size())
	}
}
