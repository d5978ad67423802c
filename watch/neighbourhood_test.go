package watch

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

func keyAt(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// TestDensest has a level whose blocks begin at every 10th key, a sparser one at every 60th, and a
// range in which there is only the sparser one.
func TestDensest(t *testing.T) {
	var all []start
	for n := 0; n < 6000; n += 10 {
		all = append(all, start{keyAt(n), 1})
	}
	for n := 5; n < 12_000; n += 60 {
		all = append(all, start{keyAt(n), 2})
	}
	inside := 0
	keys := densest(all)
	for _, k := range keys {
		if n := binary.BigEndian.Uint32(k); n < 5940 && n%10 != 0 {
			inside++
		}
	}
	assert.Zero(t, inside, "starts of the sparser level lie between those of the denser one")
	assert.InDelta(t, 600+100, len(keys), 2)
}

// TestOverlappingTables: tables that are equally dense all count.
func TestOverlappingTables(t *testing.T) {
	var all []start
	for table := range 6 {
		for n := table; n < 6000; n += 60 {
			all = append(all, start{keyAt(n), table})
		}
	}
	assert.Len(t, densest(all), 600)
}

// TestNeighbourhoods requires the share of the sample in every part of the keys.
func TestNeighbourhoods(t *testing.T) {
	const keys, one = 64_000, 16
	var starts [][]byte
	for n := 1; n < keys/10; n++ {
		starts = append(starts, keyAt(10*n))
	}
	n := newNeighbourhoods(starts, one)
	for part := 0; part < keys; part += keys / 10 {
		taken := 0
		for k := part; k < part+keys/10; k++ {
			number, in := n.of(keyAt(k))
			assert.Equal(t, int64(k/10)+1, number)
			if in {
				taken++
			}
		}
		assert.Equal(t, keys/10/one, taken)
	}
}
