package units

import (
	"math"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestNumbers(t *testing.T) {
	rates := []float64{0.9472, -0.0003, -0.0016}
	for _, c := range []struct{ got, want string }{
		{Size(0), "0 B"},
		{Size(1023), "1023 B"},
		{Size(1024), "1.0 KiB"},
		{Size(45 << 20), "45.0 MiB"},
		{Size(1023 << 20), "1023 MiB"},
		{Size(1<<30 - 1), "1.0 GiB"},
		{Size(2_200_000_000_000), "2.0 TiB"},
		{Size(math.MaxInt64), "8.0 EiB"},
		{Exact(0), "0"},
		{Exact(1000), "1000"},
		{Exact(45 << 20), "45MiB"},
		{Exact(2 << 40), "2TiB"},
		{MeanSize(0), "0 B"},
		{MeanSize(0.001), "<0.01 B"},
		{MeanSize(24.5), "24.5 B"},
		{MeanSize(8315), "8.12 KiB"},
		{MeanSize(1023.9), "1.00 KiB"},
		{Count(9_999), "9,999"},
		{Count(10_000), "10.0k"},
		{Count(999_400), "999k"},
		{Count(999_600), "1.00M"},
		{Count(7_410_079), "7.41M"},
		{Count(20_000_000_000), "20.0G"},
		{Blocks(662_605_109), "662,605,109"},
		{Blocks(7_662_605_109), "7.66G"},
		{Percent(0), "0%"},
		{Percent(0.00001), "<0.01%"},
		{Percent(0.0019), "0.19%"},
		{Percent(0.09996), "10.0%"},
		{Percent(0.9996), "100%"},
		{PercentOf(1, 0), "-"},
		{PercentOf(1, 8), "12.5%"},
		{PerGet(1, 0), "-"},
		{PerGet(0, 10), "0"},
		{PerGet(1, 1_000_000), "<.0001"},
		{IOs(1.9693), "1.9693"},
		{ExactCount(5e9), "5B"}, {ExactCount(300_000), "300k"}, {ExactCount(1234), "1,234"}, {ExactCount(0), "0"}, {ExactCount(1500), "1,500"},
		{IOs(9.99996), "10.000"},
		{IOs(123.456), "123.46"},
		{IOs(-0.02), "-0.0200"},
		{IOs(1_234_567), "1234567"},
		{Thousandths(nil), "-"},
		{Thousandths(&rates[0]), "0.947"},
		{Thousandths(&rates[1]), "0.000"},
		{Thousandths(&rates[2]), "-0.002"},
		{SignedPercent(0.0012), "+0.12%"},
		{SignedPercent(-0.2), "-20.0%"},
		{Plural(1, "key"), "1 key"},
		{Plural(1000, "key"), "1,000 keys"},
		{Plural(2, "miss", "misses"), "2 misses"},
	} {
		assert.Equal(t, c.want, c.got)
	}
}

// TestNumbersFitTheirColumns checks the maximum width over all orders of magnitude.
func TestNumbersFitTheirColumns(t *testing.T) {
	fits := func(s string, width int) {
		t.Helper()
		assert.LessOrEqual(t, utf8.RuneCountInString(s), width, "%q takes more than %d columns", s, width)
	}
	for n := int64(1); n > 0 && n < math.MaxInt64/3; n = n*3/2 + 1 {
		fits(Size(n), 9)
		fits(MeanSize(float64(n)/1000), 8)
		fits(Count(n), 5)
		fits(Blocks(n), 11)
		if n < 1_000_000_000 {
			fits(IOs(float64(n)/1_000_000), 6)
		}
		fits(Percent(float64(n%100_000)/100_000), 6)
	}
}
