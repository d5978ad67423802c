package twin_test

import (
	"context"
	"fmt"
	"log"

	"getio/engine/lsm"
	"getio/load/growth"
	"getio/predict/twin"
	"getio/workload"
)

// The reads of Gets are predicted from the shape of a tree alone, here that of a published database of 200 million keys.
func ExamplePlan_Predict() {
	shape, err := growth.Published("small", 1)
	if err != nil {
		log.Fatal(err)
	}
	layout := lsm.TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}
	tree, err := twin.NewTree(layout.EstimateShape(shape), twin.Options{Library: twin.PebbleV1, BlockBytes: layout.DataBlockBytes})
	if err != nil {
		log.Fatal(err)
	}
	caches := []twin.Cache{{Policy: "clockpro", Bytes: 45 << 20, Shards: 4, Sampled: 4}}
	predictions, err := twin.Plan{Warmup: 200_000, Gets: 200_000}.Predict(context.Background(), tree, workload.Keys{Seed: 1}, caches, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f I/Os per Get\n", predictions[0].Window.IOsPerGet())
	// Output:
	// 2.0 I/Os per Get
}
