package twin

import "getio/numbers/steady"

// history holds the windows of a run with one cache.
type history struct {
	counts      []Counts // of all its Gets, window by window
	steadyAfter int64    // Gets after which it was steady; 0 if it is not yet
	next        int      // windows at the next check
}

// keptWindows is the number of windows above which they are merged in pairs.
const keptWindows = 1 << 11

// add adds a window, and reports whether to check for steadiness: after each window at first,
// later more rarely, so that all checks cost no more than the windows.
func (c *history) add(window *Counts) bool {
	c.counts = append(c.counts, *window)
	const often = 64
	if c.steadyAfter > 0 || len(c.counts) < c.next {
		return false
	}
	c.next = len(c.counts) + 1 + len(c.counts)/often
	return true
}

// checkSteady judges whether the run is steady after the given Gets. It looks at the second
// half of the windows, so that the cold cache does not count.
func (c *history) checkSteady(minGets, made int64) {
	windows := c.windows()
	if drift, ok := steady.DriftOf(windows[len(windows)/2:], minGets, made); ok && drift.Steady() {
		c.steadyAfter = made
	}
}

// windows returns the reads of all windows.
func (c *history) windows() []steady.Window {
	windows := make([]steady.Window, len(c.counts))
	for i := range c.counts {
		windows[i] = steady.Window{Gets: c.counts[i].Gets, Reads: c.counts[i].IOsPerGet() * float64(c.counts[i].Gets)}
	}
	return windows
}

// lastHalf returns the sum of the second half of the windows.
func (c *history) lastHalf() (sum Counts) {
	for i := len(c.counts) / 2; i < len(c.counts); i++ {
		sum.add(&c.counts[i])
	}
	return sum
}

// halve merges windows in pairs; an odd last one stays as it is.
func (c *history) halve() {
	half := c.counts[:0]
	for i := 0; i < len(c.counts); i += 2 {
		sum := c.counts[i]
		if i+1 < len(c.counts) {
			sum.add(&c.counts[i+1])
		}
		half = append(half, sum)
	}
	c.counts, c.next = half, 0
}

// add adds the counts of further Gets.
func (c *Counts) add(more *Counts) {
	c.Gets += more.Gets
	c.Accesses = c.Accesses.Add(more.Accesses)
	c.First = c.First.Add(more.First)
	for component, n := range more.Misses {
		c.Misses[component] += n
		c.MissBytes[component] += more.MissBytes[component]
	}
	// Errors of the same shards are fully correlated, and errors of the same variants almost.
	c.MissError += more.MissError
}
