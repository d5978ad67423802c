package cachesim

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzBlockMap compares the blockMap with a map. Few different blocks make long runs of
// taken slots, also around the end of the table.
func FuzzBlockMap(f *testing.F) {
	f.Add([]byte{1, 2, 3, 130, 129, 4, 5, 131}, uint64(0))
	f.Add([]byte{0, 0, 128, 128, 255, 127}, uint64(1)<<63)
	r := rand.New(rand.NewPCG(1, 2))
	long := make([]byte, 4000)
	for i := range long {
		long[i] = byte(r.Uint32())
	}
	f.Add(long, uint64(7))
	f.Fuzz(func(t *testing.T, steps []byte, seed uint64) {
		d, want := newBlockMap(), map[uint64]uint32{}
		for i, step := range steps {
			// The upper bit: put or remove.
			block := seed ^ uint64(step&0x7f)*0x100000001
			_, there := want[block]
			switch {
			case step < 0x80 && !there:
				d.put(block, uint32(i))
				want[block] = uint32(i)
			case step >= 0x80 && there:
				d.remove(block)
				delete(want, block)
			}
			require.Equal(t, len(want), d.n, "step %d", i)
			for b := range uint64(0x80) {
				block := seed ^ b*0x100000001
				node, there := want[block]
				if !there {
					node = nil32
				}
				require.Equal(t, node, d.find(block), "step %d: node of block %#x", i, block)
			}
		}
	})
}
