package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Parse errors say what is wanted. The caller adds the value that was given, and where.

// MaxCount is the largest count that ParseCount accepts.
const MaxCount = 1e15

// ParseCount parses a whole number such as 200000, 10M, 2B or 1e6.
func ParseCount(s string) (int64, error) {
	scale := 1.0
	digits := strings.ReplaceAll(s, "_", "")
	for suffix, by := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9} {
		if d, ok := strings.CutSuffix(digits, suffix); ok {
			digits, scale = d, by
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	n *= scale
	if err != nil || n != math.Trunc(n) {
		return 0, errors.New("want a whole number such as 200000, 10M or 2B")
	}
	if n < 0 || n > MaxCount {
		return 0, errors.New("out of range, want a whole number from 0 to 10^15")
	}
	return int64(n), nil
}

// CountIn returns a parser of whole numbers from least to most, such as 200000 or 10M.
func CountIn[N int | int64 | uint64](least, most N) func(string) (N, error) {
	return func(s string) (N, error) {
		n, err := ParseCount(strings.TrimPrefix(s, "-"))
		if err == nil && (s[0] == '-' || n < int64(least) || n > int64(most)) {
			err = wantBetween(int64(least), int64(most))
		}
		return N(n), err
	}
}

func wantBetween(least, most int64) error {
	if most == MaxCount {
		return fmt.Errorf("out of range, want at least %d", least)
	}
	return fmt.Errorf("out of range, want %d to %d", least, most)
}

// NumberIn returns a parser of numbers above 0 if positive, else from 0 on, and up to most.
func NumberIn(positive bool, most float64) func(string) (float64, error) {
	return func(s string) (float64, error) {
		n, err := strconv.ParseFloat(s, 64)
		switch {
		case err != nil:
			return 0, errors.New("want a number such as 1.1")
		case positive && !(n > 0 && n <= most):
			return 0, fmt.Errorf("out of range, want more than 0 and at most %g", most)
		case !(n >= 0 && n <= most):
			return 0, fmt.Errorf("out of range, want 0 to %g", most)
		}
		return n, nil
	}
}

// DurationUpTo returns a parser of durations above 0 and up to most.
func DurationUpTo(most time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return 0, errors.New("want a duration such as 500us, 2ms or 30s")
		case d <= 0 || d > most:
			return 0, fmt.Errorf("out of range, want more than 0s and at most %s", most)
		}
		return d, nil
	}
}

// ParseShare parses a share such as 0.2% as a fraction. It may be more than 100%.
func ParseShare(s string) (float64, error) {
	digits, ok := strings.CutSuffix(s, "%")
	p, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !ok || err != nil || !(p >= 0) || math.IsInf(p, 0) {
		return 0, errors.New("want a share such as 0.2%")
	}
	if p > maxPercent {
		return 0, fmt.Errorf("out of range, want a share up to %.0f%%", maxPercent)
	}
	return p / 100, nil
}

// maxPercent is the largest share that ParseShare accepts.
const maxPercent = 1e6

// MaxSize is the largest size that ParseSize accepts: 64 TiB.
const MaxSize = 1 << 46

// ParseSize parses a size such as 45MiB or 2GB and returns bytes.
func ParseSize(s string) (int64, error) {
	n, err := humanize.ParseBytes(s)
	if err != nil || strings.HasPrefix(s, "-") {
		return 0, errors.New("want a size such as 45MiB or 2GB")
	}
	if n == 0 || n > MaxSize {
		return 0, errors.New("out of range, want 1 byte to 64TiB")
	}
	return int64(n), nil
}

// ParseCache parses the size of a cache as ParseSize does. A bare number that is less than a MiB as bytes is refused:
// clients' own flags, such as geth's --cache, take such numbers as MiB.
func ParseCache(s string) (int64, error) { return parseLarge(s, "MiB") }

// ParseMemory parses the size of a memory or a disk as ParseSize does. It refuses a small bare number, as ParseCache does.
func ParseMemory(s string) (int64, error) { return parseLarge(s, "GiB") }

func parseLarge(s, unit string) (int64, error) {
	bytes, err := ParseSize(s)
	if _, e := strconv.ParseUint(s, 10, 64); e == nil && err == nil && bytes < 1<<20 {
		return 0, fmt.Errorf("a number without a unit is bytes, did you mean %s%s? For bytes, write %sB", s, unit, s)
	}
	return bytes, err
}
