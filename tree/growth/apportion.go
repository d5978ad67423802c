package growth

// apportion divides total by shares into whole numbers of at least one that sum
// to it exactly. There are no more shares than total.
func apportion(total uint64, shares []float64) []uint64 {
	n := uint64(len(shares))
	var sum float64
	for _, share := range shares {
		sum += share
	}
	counts := make([]uint64, n)
	beyond := total - n // what is to divide when each has one
	var upTo float64
	var given uint64
	for i, share := range shares {
		upTo += share
		until := min(uint64(upTo/sum*float64(beyond)), beyond)
		counts[i] = 1 + until - given
		given = until
	}
	counts[n-1] += beyond - given
	return counts
}
