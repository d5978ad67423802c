package twin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/predict/cachesim"
	"getio/predict/memory"
	"getio/record"
	"getio/workload"
)

// TestSampledDeviceReads: a sample of the blocks, by their pages, reads as much from devices as all of them.
func TestSampledDeviceReads(t *testing.T) {
	tree := newTree(t, publishedShape(t, "small"), Options{Library: PebbleV1, BlockBytes: publishedLayout.DataBlockBytes})
	q := memory.Question{Sizes: []int64{8 << 30}}
	var reads, bytes []float64
	for _, c := range []Cache{{cachesim.NameClockPro, 128 << 20, 32, 32}, {cachesim.NameClockPro, 128 << 20, 32, 9}} {
		divided := q.Divide(c.Bytes, 0)
		plan := Plan{Warmup: 100_000, Gets: 200_000, Memory: [][]record.PredictedMemory{divided}}
		p, err := plan.Predict(t.Context(), tree, workload.Keys{Seed: 1}, []Cache{c}, nil)
		require.NoError(t, err)
		m := p[0].Divided()[0]
		require.NotNil(t, m.CI95)
		assert.Greater(t, m.DeviceReadsPerGet, 0.1)
		reads, bytes = append(reads, m.DeviceReadsPerGet), append(bytes, m.DeviceBytesPerGet)
	}
	assert.InEpsilon(t, reads[0], reads[1], 0.03)
	assert.InEpsilon(t, bytes[0], bytes[1], 0.03)
	_, err := Plan{Gets: 5, Memory: [][]record.PredictedMemory{q.Divide(16<<20, 0)}}.Predict(t.Context(), tree, workload.Keys{Seed: 1}, []Cache{{cachesim.NameClockPro, 128 << 20, 32, 32}}, nil)
	assert.NoError(t, err, "fewer Gets than parts")
}
