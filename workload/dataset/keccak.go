package dataset

import (
	"encoding/binary"
	"io"
	"sync"

	"golang.org/x/crypto/sha3"
)

// keccak is the key space of the published tool. Key i is the legacy Keccak-256 hash (as
// in Ethereum; its padding differs from SHA3-256) of a 32-byte word that holds i
// big-endian in its last 8 bytes.
type keccak struct {
	n       uint64
	hashers sync.Pool // of *hasher
}

func newKeccak(n uint64) *keccak {
	return &keccak{n: n, hashers: sync.Pool{New: func() any { return newHasher() }}}
}

func (*keccak) Kind() string  { return KeyspaceKeccak }
func (k *keccak) Len() uint64 { return k.n }

func (k *keccak) Key(i uint64, dst *[KeySize]byte) {
	h := k.hashers.Get().(*hasher)
	*dst = h.sum(i)
	k.hashers.Put(h)
}

// Absent hashes a number in the upper half, which no key has because n <= 2^63. That the
// hashes differ too relies on Keccak.
func (k *keccak) Absent(r uint64, dst *[KeySize]byte) {
	k.Key(r|1<<63, dst)
}

// hasher is a sponge with its buffers. Buffers on the stack would escape to the heap for
// every key, since the hash is called through an interface.
type hasher struct {
	sponge interface {
		io.ReadWriter
		Reset()
	}
	word, digest [KeySize]byte
}

func newHasher() *hasher {
	h := new(hasher)
	// Package sha3 documents that the hash implements io.Reader. Unlike Sum, Read does not
	// copy the state.
	h.sponge = sha3.NewLegacyKeccak256().(interface {
		io.ReadWriter
		Reset()
	})
	return h
}

// sum hashes i. Writing to and reading from a sponge never fails.
func (h *hasher) sum(i uint64) [KeySize]byte {
	binary.BigEndian.PutUint64(h.word[KeySize-8:], i)
	h.sponge.Reset()
	h.sponge.Write(h.word[:])
	h.sponge.Read(h.digest[:])
	return h.digest
}
