package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/tree/lsm"
)

// CacheSize is a cache size as a user states it: bytes, a share of the
// database, or one of its inflection points.
type CacheSize struct {
	text     string
	bytes    int64
	fraction float64
	point    func(*lsm.Shape) int64
}

// maxCacheBytes is beyond what a machine has; it catches slips of the pen.
const maxCacheBytes = 1 << 46

// ParseCacheSize reads a size such as 45MiB, 2GB, 0.2% (of the database), IP1
// or IP2.
func ParseCacheSize(s string) (CacheSize, error) {
	c := CacheSize{text: s}
	switch strings.ToUpper(s) {
	case "IP1":
		c.point = func(s *lsm.Shape) int64 { return s.IP1Bytes }
		return c, nil
	case "IP2":
		c.point = func(s *lsm.Shape) int64 { return s.IP2Bytes }
		return c, nil
	}
	if digits, ok := strings.CutSuffix(s, "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(p > 0) || math.IsInf(p, 0) {
			return c, fmt.Errorf("cache size %q is no share of the database: write it like 0.2%%", s)
		}
		c.fraction = p / 100
		return c, nil
	}
	n, err := humanize.ParseBytes(s)
	if err != nil || strings.HasPrefix(s, "-") {
		return c, fmt.Errorf("cache size %q is none: write it like 45MiB, 2GB, 0.2%% (of the database), IP1 or IP2", s)
	}
	if n == 0 || n > maxCacheBytes {
		return c, fmt.Errorf("cache size %q is out of range: take 1 byte to 64 TiB", s)
	}
	c.bytes = int64(n)
	return c, nil
}

// ParseCacheSizes reads a comma-separated list.
func ParseCacheSizes(list string) ([]CacheSize, error) {
	var sizes []CacheSize
	for _, s := range strings.Split(list, ",") {
		c, err := ParseCacheSize(strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, c)
	}
	return sizes, nil
}

// Bytes is the size for a database of the given shape.
func (c CacheSize) Bytes(s *lsm.Shape) (int64, error) {
	bytes := c.bytes
	switch {
	case c.point != nil:
		bytes = c.point(s)
	case c.fraction > 0:
		bytes = int64(c.fraction * float64(s.Total().Bytes))
	}
	if bytes <= 0 || bytes > maxCacheBytes {
		return 0, fmt.Errorf("cache size %q comes to %d bytes for this database: name a size like 45MiB", c.text, bytes)
	}
	return bytes, nil
}

// defaultFractions are the eight sizes of a sweep beside IP1 and IP2, in parts
// of the database: evenly apart on a logarithmic scale from 0.1% to 3%.
var defaultFractions = []float64{0.001, 0.0016, 0.0026, 0.0043, 0.007, 0.0114, 0.0185, 0.03}

// DefaultSizes are the ten cache sizes of a sweep: from 0.1% to 3% of the
// database, and both inflection points. Sizes below the floor are left out, and
// for each one left out a size above 3% is added, so that there are ten.
func DefaultSizes(s *lsm.Shape, floor int64) []int64 {
	total := float64(s.Total().Bytes)
	var sizes []int64
	add := func(bytes int64) {
		if bytes >= floor && !slices.Contains(sizes, bytes) {
			sizes = append(sizes, bytes)
		}
	}
	add(s.IP1Bytes)
	add(s.IP2Bytes)
	for _, f := range defaultFractions {
		add(int64(f * total))
	}
	const step = 1.6
	for last := 0.03 * total; len(sizes) < 10; {
		last = max(last*step, float64(floor))
		add(int64(last))
	}
	slices.Sort(sizes)
	return sizes
}
