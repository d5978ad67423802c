package lsm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// CacheSize is a cache size as the user gives it: bytes, a share of the database, or one of
// its inflection points.
type CacheSize struct {
	text     string
	bytes    int64
	fraction float64
	point    func(*Shape) int64
}

// maxCacheBytes is more than any machine has; it catches typing errors.
const maxCacheBytes = 1 << 46

// ParseCacheSize parses a size such as 45MiB, 2GB, 0.2% (of the database), IP1 or IP2.
func ParseCacheSize(s string) (CacheSize, error) {
	c := CacheSize{text: s}
	switch strings.ToUpper(s) {
	case "IP1":
		c.point = func(s *Shape) int64 { return s.IP1Bytes }
		return c, nil
	case "IP2":
		c.point = func(s *Shape) int64 { return s.IP2Bytes }
		return c, nil
	}
	if digits, ok := strings.CutSuffix(s, "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(p > 0) || math.IsInf(p, 0) {
			return c, fmt.Errorf("invalid cache size %q: want a share of the database such as 0.2%%", s)
		}
		c.fraction = p / 100
		return c, nil
	}
	n, err := humanize.ParseBytes(s)
	if err != nil || strings.HasPrefix(s, "-") {
		return c, fmt.Errorf("invalid cache size %q: want a size such as 45MiB or 2GB, a share of the database such as 0.2%%, IP1 or IP2", s)
	}
	if n == 0 || n > maxCacheBytes {
		return c, fmt.Errorf("cache size %q is out of range: want 1 byte to 64 TiB", s)
	}
	c.bytes = int64(n)
	return c, nil
}

// ParseCacheSizes parses a comma-separated list.
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

// Bytes returns the size in bytes for a database of the given shape.
func (c CacheSize) Bytes(s *Shape) (int64, error) {
	bytes := c.bytes
	switch {
	case c.point != nil:
		bytes = c.point(s)
	case c.fraction > 0:
		bytes = int64(c.fraction * float64(s.Total().Bytes))
	}
	if bytes <= 0 || bytes > maxCacheBytes {
		return 0, fmt.Errorf("cache size %q is %d bytes for this database: choose a size such as 45MiB", c.text, bytes)
	}
	return bytes, nil
}

// defaultFractions are the eight sizes of a sweep beside IP1 and IP2, as shares of the
// database: evenly spaced on a logarithmic scale from 0.1% to 3%.
var defaultFractions = []float64{0.001, 0.0016, 0.0026, 0.0043, 0.007, 0.0114, 0.0185, 0.03}

// DefaultCacheSizes returns the ten cache sizes of a sweep, in bytes and ascending: 0.1% to
// 3% of the database, and both inflection points. Each one below the floor is replaced by
// one above 3%.
func DefaultCacheSizes(s *Shape, floor int64) []int64 {
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
