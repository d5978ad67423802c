package virtual

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/rowtable"
)

const tableSize = 1 << 12

// randomTail is a tail with n partitions of a table of tableSize bytes.
func randomTail(random *rand.Rand, n int) *rowtable.Tail {
	t := &rowtable.Tail{Size: tableSize, DataSize: random.Uint64N(1 << 40)}
	for range n {
		t.Partitions = append(t.Partitions, rowtable.Partition{
			Data: random.Uint64N(1 << 40), Index: random.Uint64N(1 << 40), IndexLen: uint64(random.Uint32()),
		})
	}
	return t
}

// readFrom reads the header of a file of the given size that begins with b and has zeros behind it.
func readFrom(b []byte, size int64) (*header, error) {
	r := bytes.NewReader(append(bytes.Clone(b), make([]byte, size-int64(len(b)))...))
	return readHeader(size, func(p []byte, off int64) error {
		_, err := r.ReadAt(p, off)
		return err
	})
}

func TestHeaderRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 17, 100} {
		tail := randomTail(random, n)
		b := append(EncodeHeader(tail), "what follows it"...)
		h, err := readFrom(b, tableSize)
		require.NoError(t, err)
		if h.size != tableSize || h.dataSize != int64(tail.DataSize) || !slices.Equal(h.partitions, tail.Partitions) {
			t.Errorf("%d partitions: %+v became %+v", n, tail, h)
		}
	}
}

// TestDamagedHeaderIsRejected changes each byte of a header and the length of the file.
func TestDamagedHeaderIsRejected(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tail := randomTail(random, 3)
	whole := EncodeHeader(tail)
	refused := func(what string, at int, b []byte, size int64) {
		t.Helper()
		h, err := readFrom(b, size)
		require.Error(t, err, "%s %d: %+v", what, at, h)
		assert.Contains(t, err.Error(), "build the dataset again", "%s %d: no way out: %v", what, at, err)
	}
	for at := range whole {
		for _, flip := range []byte{1, 0x80, 0xff} {
			b := bytes.Clone(whole)
			b[at] ^= flip
			refused("changed byte", at, b, tableSize)
		}
		refused("cut at", at, whole[:at], int64(at))
	}
	refused("shorter by", 1, whole, tableSize-1)
	refused("longer by", 1, whole, tableSize+1)
	refused("zeros", 0, make([]byte, 1<<10), 1<<10)
	// An impossible number of partitions must not be read.
	b := bytes.Clone(whole)
	for i := fixedLen - 4; i < fixedLen; i++ {
		b[i] = 0xff
	}
	refused("partitions", 1<<32-1, b, tableSize)
}
