package record_test

import (
	"fmt"
	"log"

	"getio/record"
)

// The records that a sweep keeps are read back, and each says how its figure was obtained.
func ExampleReadFiles() {
	set, err := record.ReadFiles("../results/small.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range set.Results[:2] {
		io := r.IOsPerGet
		fmt.Printf("cache of %d MiB: %.4f I/Os per Get (%.4f to %.4f) over %d Gets, checks hold: %t\n",
			r.Cache.Bytes>>20, io.Mean, io.CI95[0], io.CI95[1], r.Workload.Gets, r.Checks.Hold())
	}
	// Output:
	// cache of 32 MiB: 2.1394 I/Os per Get (2.1380 to 2.1407) over 10000000 Gets, checks hold: true
	// cache of 45 MiB: 1.9687 I/Os per Get (1.9685 to 1.9689) over 10000000 Gets, checks hold: true
}
