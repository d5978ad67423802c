package lsm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"getio/numbers/units"
)

// CacheSize is a cache size given in bytes, as a share of the database, as one of its
// inflection points, or as the flag of a client.
type CacheSize struct {
	text     string
	bytes    int64
	flag     int64
	fraction float64
	point    func(*Shape) int64
}

// mostFlag is the largest number without a unit that is a client's flag; larger ones are bytes.
const mostFlag = 1<<20 - 1

// ParseCacheSize parses a size such as 45MiB, 2GB, 0.2% (of the database), IP1 or IP2, or the --cache of geth, such as
// 4096. The error says what is wanted; the caller adds the value that was given.
func ParseCacheSize(s string) (c CacheSize, err error) {
	c.text = s
	switch strings.ToUpper(s) {
	case "IP1":
		c.point = func(s *Shape) int64 { return s.IP1Bytes }
		return c, nil
	case "IP2":
		c.point = func(s *Shape) int64 { return s.IP2Bytes }
		return c, nil
	}
	if strings.HasSuffix(s, "%") {
		c.fraction, err = units.ParseShare(s)
		if err == nil && c.fraction == 0 {
			err = errors.New("want a share of the database above 0, such as 0.2%")
		}
		return c, err
	}
	if c.flag, err = strconv.ParseInt(s, 10, 64); err == nil && 0 < c.flag && c.flag <= mostFlag {
		return c, nil
	}
	c.flag = 0
	if _, err = units.ParseSize(s); err != nil {
		return c, fmt.Errorf("%w, 0.2%% (of the database), IP1 or IP2", err)
	}
	c.bytes, err = units.ParseCache(s)
	return c, err
}

// ClientFlag returns the client's --cache if the size is given as one, otherwise 0.
func (c CacheSize) ClientFlag() int64 { return c.flag }

// Bytes returns the size in bytes for a database of the given shape.
func (c CacheSize) Bytes(s *Shape) (int64, error) {
	if c.point != nil {
		return c.check(c.point(s))
	}
	return c.BytesOf(s.Total().Bytes)
}

// BytesOf returns the size in bytes for a database of so many bytes, which has no inflection points.
func (c CacheSize) BytesOf(total int64) (int64, error) {
	switch {
	case c.flag > 0:
		return 0, fmt.Errorf("%s without a unit is the --cache of geth, whose database this is not: name a size such as %sMiB", c.text, c.text)
	case c.point != nil:
		return 0, fmt.Errorf("%s is an inflection point of an LSM tree, which this database is not: choose a cache size such as 45MiB or 0.2%%", c.text)
	case c.fraction > 0:
		return c.check(int64(c.fraction * float64(total)))
	}
	return c.check(c.bytes)
}

func (c CacheSize) check(bytes int64) (int64, error) {
	if bytes <= 0 || bytes > units.MaxSize {
		return 0, fmt.Errorf("cache size %q is %d bytes for this database: choose a size such as 45MiB", c.text, bytes)
	}
	return bytes, nil
}

// CacheBytes converts sizes to bytes with of, sorted and without duplicates. fits refuses a cache that the machine
// cannot hold.
func CacheBytes(sizes []CacheSize, of func(CacheSize) (int64, error), fits func(bytes int64) error) (all []int64, err error) {
	for _, size := range sizes {
		bytes, err := of(size)
		if err == nil {
			err = fits(bytes)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, bytes)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// DefaultSweepBytes returns the default sizes that fit, and others beside them: an error if none does. client is
// the smallest cache that the database's client can be set to, 0 if that is unknown.
func DefaultSweepBytes(s *Shape, floor, client int64, beside []int64, fits func(bytes int64) error) ([]int64, error) {
	defaults := DefaultCacheSizes(s, floor)
	if client > floor {
		defaults = ClientCacheSizes(s, client)
	}
	defaults = slices.Concat(defaults, beside)
	slices.Sort(defaults)
	fitting := slices.DeleteFunc(slices.Compact(slices.Clone(defaults)), func(n int64) bool { return fits(n) != nil })
	if len(fitting) == 0 {
		return nil, fits(defaults[0])
	}
	return fitting, nil
}

// defaultFractions holds the sizes of a sweep besides IP1 and IP2, as shares of the
// database, evenly spaced on a logarithmic scale.
var defaultFractions = []float64{0.001, 0.0016, 0.0026, 0.0043, 0.007, 0.0114, 0.0185, 0.03}

// ClientCacheSizes returns those of DefaultCacheSizes that a client can be set to, and for a database
// that is small for a client's cache the client's smallest one, twice as much and so on, up to the
// size of the database.
func ClientCacheSizes(s *Shape, client int64) []int64 {
	sizes := []int64{client}
	for _, n := range DefaultCacheSizes(s, 1) {
		if n > client {
			sizes = append(sizes, n)
		}
	}
	const few = 5
	if len(sizes) >= few {
		return sizes[1:]
	}
	for n := 2 * client; n < s.Total().Bytes; n *= 2 {
		if len(sizes) < few && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes
}

// DefaultCacheSizes returns the ten cache sizes of a sweep, in bytes and ascending: eight
// from 0.1% to 3% of the database, and both inflection points. Sizes below the floor are
// replaced by sizes above 3%.
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
