package growth

// apportion divides total in proportion to shares into integers of at least one that add
// up to total. total must be at least the number of shares.
func apportion(total uint64, shares []float64) []uint64 {
	n := uint64(len(shares))
	var sum float64
	for _, share := range shares {
		sum += share
	}
	counts := make([]uint64, n)
	beyond := total - n // what remains when each has one
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
