package adapter_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"getio/outside/adapter"
	"getio/outside/adapter/adaptertest"
)

// BenchmarkBatches measures the share of a lookup's time that frames take, by keys per
// frame. The store is a map in memory, so no real store's share is larger.
func BenchmarkBatches(b *testing.B) {
	for _, batch := range []int{1, 16, 256, 4096} {
		b.Run(fmt.Sprintf("keys=%d", batch), func(b *testing.B) {
			c, err := adapter.Start(b.Context(), command(b, adaptertest.None), time.Minute)
			check(b, err)
			defer c.End()
			_, err = c.Open(adapter.Open{Dir: filepath.Join(b.TempDir(), "store"), Configuration: "bytes"})
			check(b, err)
			check(b, c.Load([]adapter.Record{{Key: keyA, Value: small}}))
			keys := make([][]byte, batch)
			for i := range keys {
				keys[i] = keyA
			}
			var inStore time.Duration
			for b.Loop() {
				answers, took, err := c.Get(keys, false)
				if err != nil || !answers[batch-1].Found {
					b.Fatal(answers, err)
				}
				inStore += took
			}
			perKey := float64(b.Elapsed()-inStore) / float64(b.N*batch)
			b.ReportMetric(perKey, "frame-ns/key")
			b.ReportMetric(1-float64(inStore)/float64(b.Elapsed()), "frame-share")
			b.ReportMetric(0, "ns/op")
		})
	}
}
