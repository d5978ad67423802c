package interval_test

import (
	"fmt"

	"getio/numbers/interval"
)

// Two runs of five windows each: their means, and how much they differ.
func ExampleEstimate_Minus() {
	before, _ := interval.Mean([]float64{1.02, 1.05, 0.99, 1.01, 1.03})
	after, _ := interval.Mean([]float64{0.91, 0.94, 0.90, 0.93, 0.92})
	lo, hi := after.Minus(before).Interval(interval.Usual)
	fmt.Printf("%.3f to %.3f: %.3f to %.3f with 95%% confidence\n", before.Mean, after.Mean, lo, hi)
	// Output:
	// 1.020 to 0.920: -0.129 to -0.071 with 95% confidence
}
