package report

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
)

// absent stands for a figure that the record does not have.
const absent = "-"

var (
	byteUnits  = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	countUnits = []string{"", "k", "M", "G", "T", "P", "E"}
)

// size writes bytes with one decimal, 45.0 MiB, in at most nine columns.
func size(n int64) string {
	if -1024 < n && n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := scale(float64(n), 1024, byteUnits)
	// 1023.0 MiB would be the only text of ten columns.
	if math.Abs(v) >= 999.95 {
		return fmt.Sprintf("%.0f %s", v, byteUnits[unit])
	}
	return fmt.Sprintf("%.1f %s", v, byteUnits[unit])
}

// sizeOf is size of a figure that 0 marks as absent.
func sizeOf(n int64) string {
	if n == 0 {
		return absent
	}
	return size(n)
}

// meanSize writes a mean number of bytes with three digits, 8.12 KiB.
func meanSize(n float64) string {
	v, unit := scale(n, 1024, byteUnits)
	return threeDigits(v) + " " + byteUnits[unit]
}

// count writes a count where space is short: in full below 10,000, else with
// three digits and a letter, 7.41M.
func count(n int64) string {
	if -10_000 < n && n < 10_000 {
		return comma(n)
	}
	v, unit := scale(float64(n), 1000, countUnits)
	return threeDigits(v) + countUnits[unit]
}

// countOf is count of a figure that 0 marks as absent.
func countOf(n int64) string {
	if n == 0 {
		return absent
	}
	return count(n)
}

// blocks writes a count in full as far as a narrow column has space for it.
func blocks(n int64) string {
	if n < 1_000_000_000 {
		return comma(n)
	}
	return count(n)
}

func comma(n int64) string { return humanize.Comma(n) }

// commaOf is comma of a figure that 0 marks as absent.
func commaOf(n int64) string {
	if n == 0 {
		return absent
	}
	return comma(n)
}

// scale divides v by base until it is below it when written with three digits.
func scale(v, base float64, units []string) (scaled float64, unit int) {
	for math.Abs(v) >= base-0.5 && unit < len(units)-1 {
		v /= base
		unit++
	}
	return v, unit
}

// threeDigits writes 1.23, 12.3 and 123, and small numbers with two decimals.
func threeDigits(v float64) string {
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

// percent writes a fraction in at most six columns.
func percent(fraction float64) string {
	switch p := 100 * fraction; {
	case p == 0:
		return "0%"
	case p < 0.005:
		return "<0.01%"
	case p < 9.995:
		return fmt.Sprintf("%.2f%%", p)
	case p < 99.95:
		return fmt.Sprintf("%.1f%%", p)
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}

// percentOf writes part as a share of whole, which 0 marks as absent.
func percentOf(part, whole int64) string {
	if whole <= 0 {
		return absent
	}
	return percent(float64(part) / float64(whole))
}

// hitRate writes a hit rate, which nil marks as absent: nothing was accessed.
func hitRate(rate *float64) string {
	if rate == nil {
		return absent
	}
	return fmt.Sprintf("%.3f", *rate)
}

// perGet writes how often something happened per Get.
func perGet(n, gets int64) string {
	if gets <= 0 {
		return absent
	}
	return ios(float64(n) / float64(gets))
}

// ios writes a number of I/Os per Get with five digits, in at most six columns.
func ios(v float64) string {
	switch {
	case v < 0: // the low end of an interval
		return "-" + ios(-v)
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
