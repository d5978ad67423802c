package dataset

import (
	"encoding/binary"
	"io"
	"sync"

	"golang.org/x/crypto/sha3"
)

// keccak is the key space of the published tool: key i is the legacy Keccak-256
// (the one of Ethereum, with other padding than SHA3-256) of a 32-byte word that
// holds i big-endian in its last 8 bytes.
type keccak struct {
	n       uint64
	hashers sync.Pool // of *hasher
}

func newKeccak(n uint64) *keccak {
	return &keccak{n: n, hashers: sync.Pool{New: func() any { return newHasher() }}}
}

func (*keccak) Kind() string  { return KeyspaceKeccak }
func (k *keccak) Len() uint64 { return k.n }
func (*keccak) KeySize() int  { return KeySize }

func (k *keccak) Key(i uint64, dst *[KeySize]byte) {
	h := k.hashers.Get().(*hasher)
	*dst = h.sum(i)
	k.hashers.Put(h)
}

// Absent hashes an index of the upper half, where no key's index lies because
// n <= 2^63; that its hash is no key's hash either rests on Keccak.
func (k *keccak) Absent(r uint64, dst *[KeySize]byte) {
	k.Key(r|1<<63, dst)
}

// hasher keeps a sponge with the buffers that it reads and fills: handed to the
// hash behind its interface, buffers on a stack would move to the heap per key.
type hasher struct {
	sponge interface {
		io.ReadWriter
		Reset()
	}
	word, digest [KeySize]byte
}

func newHasher() *hasher {
	h := new(hasher)
	// The documentation of package sha3 promises io.Reader, which unlike Sum
	// needs no copy of the state.
	h.sponge = sha3.NewLegacyKeccak256().(interface {
		io.ReadWriter
		Reset()
	})
	return h
}

// sum never fails: neither writing to nor reading from a sponge can.
func (h *hasher) sum(i uint64) [KeySize]byte {
	binary.BigEndian.PutUint64(h.word[KeySize-8:], i)
	h.sponge.Reset()
	h.sponge.Write(h.word[:])
	h.sponge.Read(h.digest[:])
	return h.digest
}
