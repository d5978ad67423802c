package dataset

import (
	"encoding/binary"
	"hash"
	"io"
	"sync"

	"golang.org/x/crypto/sha3"
)

// keccak is the key space of the published tool. Key i is the legacy Keccak-256 hash (as
// in Ethereum; its padding differs from SHA3-256) of a 32-byte word that holds i
// big-endian in its last 8 bytes.
type keccak struct {
	n       uint64
	sponges sync.Pool // of sponge
}

// sponge is the hash. Package sha3 documents that it implements io.Reader. Unlike Sum, Read does not
// copy the state.
type sponge interface {
	hash.Hash
	io.Reader
}

func newKeccak(n uint64) *keccak {
	return &keccak{n: n, sponges: sync.Pool{New: func() any { return sha3.NewLegacyKeccak256() }}}
}

func (*keccak) Kind() string  { return KeyspaceKeccak }
func (k *keccak) Len() uint64 { return k.n }

// Key hashes i where the key is to be: a buffer of its own would escape to the heap for every key, since the hash is
// called through an interface. Writing to and reading from a sponge never fails.
func (k *keccak) Key(i uint64, dst *[KeySize]byte) {
	h := k.sponges.Get().(sponge)
	*dst = [KeySize]byte{}
	binary.BigEndian.PutUint64(dst[KeySize-8:], i)
	h.Reset()
	h.Write(dst[:])
	h.Read(dst[:])
	k.sponges.Put(h)
}

// Absent hashes a number in the upper half, which no key has because n <= 2^63. That the
// hashes differ too relies on Keccak.
func (k *keccak) Absent(r uint64, dst *[KeySize]byte) {
	k.Key(r|1<<63, dst)
}
