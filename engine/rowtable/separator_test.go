package rowtable

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	v1 "github.com/cockroachdb/pebble"
	v2 "github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// closeKeys returns two keys in order that share a prefix and are often close together.
func closeKeys(random *rand.Rand) (a, b [KeySize]byte) {
	for {
		for i := 0; i < KeySize; i += 8 {
			binary.BigEndian.PutUint64(a[i:], random.Uint64())
		}
		b = a
		at := random.IntN(KeySize)
		switch random.IntN(4) {
		case 0:
			b[at]++
		case 1:
			a[at], b[at] = 0xfe, 0xff
		case 2:
			for i := at; i < KeySize; i++ {
				a[i], b[i] = 0xff, byte(random.Uint32())
			}
			b[max(at-1, 0)]++
		default:
			b[at] = byte(random.Uint32())
		}
		switch bytes.Compare(a[:], b[:]) {
		case -1:
			return a, b
		case 1:
			return b, a
		}
	}
}

// libraryKey returns the library's separator and its trailer.
func libraryKey(t *testing.T, last *[KeySize]byte, trailer uint64, user1, user2 []byte) indexKey {
	t.Helper()
	require.Equal(t, user2, user1, "%x", last)
	if bytes.Equal(user1, last[:]) {
		return indexKey{user1, trailer}
	}
	return indexKey{user1, separatorTrailer}
}

func TestSeparatorsMatchLibraries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shortened, kept := 0, 0
	for range 200_000 {
		a, b := closeKeys(random)
		trailer := Trailer(random.Uint64N(1 << 56))
		got := separator(nil, &a, &b, trailer)
		want := libraryKey(t, &a, trailer, v1.DefaultComparer.Separator(nil, a[:], b[:]), v2.DefaultComparer.Separator(nil, a[:], b[:]))
		if !bytes.Equal(got.user, want.user) || got.trailer != want.trailer {
			t.Fatalf("%x before %x: %x %x, want %x %x", a, b, got.user, got.trailer, want.user, want.trailer)
		}
		if len(got.user) < KeySize {
			shortened++
		}
		if bytes.Equal(got.user, a[:]) {
			kept++
		}
	}
	if shortened == 0 || kept == 0 {
		t.Errorf("%d were shortened and %d kept", shortened, kept)
	}
}

func TestSuccessorsMatchLibraries(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 1_000 {
		a, _ := closeKeys(random)
		for i := range n % (KeySize + 1) {
			a[i] = 0xff
		}
		trailer := Trailer(uint64(n))
		got := successor(nil, &a, trailer)
		want := libraryKey(t, &a, trailer, v1.DefaultComparer.Successor(nil, a[:]), v2.DefaultComparer.Successor(nil, a[:]))
		if !bytes.Equal(got.user, want.user) || got.trailer != want.trailer {
			t.Fatalf("%x: %x %x, want %x %x", a, got.user, got.trailer, want.user, want.trailer)
		}
	}
}

func TestSharedLen(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100_000 {
		a, b := closeKeys(random)
		want := 0
		for a[want] == b[want] {
			want++
		}
		require.Equal(t, want, sharedLen(&a, &b), "%x and %x", a, b)
	}
}
