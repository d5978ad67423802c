// Package units parses sizes, counts, shares and durations as people type them, with hints for numbers
// that are probably in another unit, and formats them. The text is short and has a maximum width.
package units

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// Absent is printed in place of a missing figure.
const Absent = "-"

var (
	byteUnits  = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	countUnits = []string{"", "k", "M", "G", "T", "P", "E"}
)

// Size formats bytes with one decimal, such as 45.0 MiB, in at most nine columns.
func Size(n int64) string {
	if -1024 < n && n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := scale(float64(n), 1024, byteUnits)
	// 1023.0 MiB would take ten columns.
	if math.Abs(v) >= 999.95 {
		return fmt.Sprintf("%.0f %s", v, byteUnits[unit])
	}
	return fmt.Sprintf("%.1f %s", v, byteUnits[unit])
}

// Exact formats bytes as one word that parses back to the same number: 45MiB or 1000.
func Exact(n int64) string {
	unit := 0
	for ; n != 0 && n%1024 == 0 && unit < len(byteUnits)-1; unit++ {
		n /= 1024
	}
	if unit == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d%s", n, byteUnits[unit])
}

// MeanSize formats a mean number of bytes with three digits, such as 8.12 KiB.
func MeanSize(n float64) string {
	v, unit := scale(n, 1024, byteUnits)
	return ThreeDigits(v) + " " + byteUnits[unit]
}

// Count formats a count for narrow columns: in full below 10,000, otherwise with three
// digits and a letter, such as 7.41M.
func Count(n int64) string {
	if -10_000 < n && n < 10_000 {
		return Comma(n)
	}
	v, unit := scale(float64(n), 1000, countUnits)
	return ThreeDigits(v) + countUnits[unit]
}

// Blocks formats a count in full below a billion, otherwise as Count does.
func Blocks(n int64) string {
	if n < 1_000_000_000 {
		return Comma(n)
	}
	return Count(n)
}

// ExactCount writes a count as people type it, without rounding: 5B, 300k, 1,234.
func ExactCount(n int64) string {
	for _, unit := range []struct {
		of   int64
		name string
	}{{1e9, "B"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.of && n%unit.of == 0 {
			return Comma(n/unit.of) + unit.name
		}
	}
	return Comma(n)
}

// Comma formats a count in full, such as 7,410,079.
func Comma(n int64) string { return humanize.Comma(n) }

// scale divides v by base until the result, rounded, is below base.
func scale(v, base float64, units []string) (scaled float64, unit int) {
	for math.Abs(v) >= base-0.5 && unit < len(units)-1 {
		v /= base
		unit++
	}
	return v, unit
}

// ThreeDigits formats a number with three digits, as in 1.23, 12.3 and 123. Small numbers
// have two decimals.
func ThreeDigits(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a < 0.005:
		return "<0.01"
	case a < 9.995:
		return fmt.Sprintf("%.2f", v)
	case a < 99.95:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

// Percent formats a fraction as a percentage, in at most six columns.
func Percent(fraction float64) string { return ThreeDigits(100*fraction) + "%" }

// PercentOf formats part as a percentage of whole. It returns Absent if whole is 0.
func PercentOf(part, whole int64) string {
	if whole <= 0 {
		return Absent
	}
	return Percent(float64(part) / float64(whole))
}

// Thousandths formats a number, such as a hit rate, with three decimals. It returns Absent for nil.
// An estimated rate may be slightly negative; it is printed as 0.000 if it rounds to 0.
func Thousandths(v *float64) string {
	if v == nil {
		return Absent
	}
	if s := fmt.Sprintf("%.3f", *v); s != "-0.000" {
		return s
	}
	return "0.000"
}

// PerGet formats n per Get. It returns Absent if gets is 0.
func PerGet(n, gets int64) string {
	if gets <= 0 {
		return Absent
	}
	return IOs(float64(n) / float64(gets))
}

// IOs formats a number of I/Os per Get with five digits, in at most six columns.
func IOs(v float64) string {
	switch {
	case v < 0: // the lower bound of an interval
		return "-" + IOs(-v)
	case v == 0:
		return "0"
	case v < 0.00005:
		return "<.0001"
	}
	decimals := 4
	for limit := 9.99995; v >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// SignedPercent is like Percent with a sign, such as +0.12%.
func SignedPercent(fraction float64) string {
	switch {
	case fraction > 0:
		return "+" + Percent(fraction)
	case fraction < 0:
		return "-" + Percent(-fraction)
	}
	return Percent(fraction)
}

// Plural formats a count with its noun: 1 key, 2 keys. things gives a plural that is not
// thing plus s.
func Plural(n int64, thing string, things ...string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case len(things) > 0:
		return Comma(n) + " " + things[0]
	}
	return Comma(n) + " " + thing + "s"
}

// If returns the text if a condition holds, and "" otherwise.
func If(is bool, text string) string {
	if !is {
		return ""
	}
	return text
}

// Join joins the parts that are not empty, with commas.
func Join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ", ")
}

// Or joins alternatives: a, b or c.
func Or[S ~string](words []S) string {
	var list strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			list.WriteString(" or ")
		default:
			list.WriteString(", ")
		}
		list.WriteString(string(w))
	}
	return list.String()
}
