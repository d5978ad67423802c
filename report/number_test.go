package report

import (
	"math"
	"testing"
	"unicode/utf8"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{size(0), "0 B"},
		{size(1023), "1023 B"},
		{size(1024), "1.0 KiB"},
		{size(45 << 20), "45.0 MiB"},
		{size(1023 << 20), "1023 MiB"},
		{size(1<<30 - 1), "1.0 GiB"},
		{size(2_200_000_000_000), "2.0 TiB"},
		{size(math.MaxInt64), "8.0 EiB"},
		{sizeOf(0), "-"},
		{meanSize(0), "0 B"},
		{meanSize(0.001), "<0.01 B"},
		{meanSize(24.5), "24.5 B"},
		{meanSize(8315), "8.12 KiB"},
		{meanSize(1023.9), "1.00 KiB"},
		{count(9_999), "9,999"},
		{count(10_000), "10.0k"},
		{count(999_400), "999k"},
		{count(999_600), "1.00M"},
		{count(7_410_079), "7.41M"},
		{count(20_000_000_000), "20.0G"},
		{blocks(662_605_109), "662,605,109"},
		{blocks(7_662_605_109), "7.66G"},
		{commaOf(0), "-"},
		{percent(0), "0%"},
		{percent(0.00001), "<0.01%"},
		{percent(0.0019), "0.19%"},
		{percent(0.09996), "10.0%"},
		{percent(0.9996), "100%"},
		{percentOf(1, 0), "-"},
		{percentOf(1, 8), "12.5%"},
		{perGet(1, 0), "-"},
		{perGet(0, 10), "0"},
		{perGet(1, 1_000_000), "<.0001"},
		{ios(1.9693), "1.9693"},
		{ios(9.99996), "10.000"},
		{ios(123.456), "123.46"},
		{ios(-0.02), "-0.0200"},
		{ios(1_234_567), "1234567"},
		{hitRate(nil), "-"},
		{signedPercent(0.0012), "+0.12%"},
		{signedPercent(-0.2), "-20.0%"},
		{plural(1, "key"), "1 key"},
		{plural(1000, "key"), "1,000 keys"},
		{plural(2, "miss", "misses"), "2 misses"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestNumbersFitTheirColumns tries all orders of magnitude.
func TestNumbersFitTheirColumns(t *testing.T) {
	fits := func(s string, width int) {
		t.Helper()
		if utf8.RuneCountInString(s) > width {
			t.Errorf("%q takes more than %d columns", s, width)
		}
	}
	for n := int64(1); n > 0 && n < math.MaxInt64/3; n = n*3/2 + 1 {
		fits(size(n), 9)
		fits(meanSize(float64(n)/1000), 8)
		fits(count(n), 5)
		fits(blocks(n), 11)
		if n < 1_000_000_000 {
			fits(ios(float64(n)/1_000_000), 6)
		}
		fits(percent(float64(n%100_000)/100_000), 6)
	}
}
