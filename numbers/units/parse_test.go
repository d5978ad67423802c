package units

import "testing"

func TestParseCount(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "200000": 200_000, "10M": 10e6, "2B": 2e9, "1.5k": 1500, "1_000": 1000, "1e6": 1e6, "3G": 3e9} {
		if n, err := ParseCount(text); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "few", "1.5", "-1", "NaN", "Inf", "1e16", "1MM", "10%"} {
		if n, err := ParseCount(text); err == nil {
			t.Errorf("%q was parsed as %d", text, n)
		}
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"0%": 0, "50%": 0.5, "0.25%": 0.0025, "200%": 2} {
		if f, err := ParseShare(text); err != nil || f != want {
			t.Errorf("%q is %v, %v; want %v", text, f, err, want)
		}
	}
	for _, text := range []string{"", "%", "5", "-1%", "NaN%", "Inf%", "1e30%", "x%"} {
		if f, err := ParseShare(text); err == nil {
			t.Errorf("%q was parsed as %v", text, f)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "45MiB": 45 << 20, "2GB": 2e9, "64TiB": 1 << 46} {
		if n, err := ParseSize(text); err != nil || n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "x", "0", "-1", "-5MiB", "65TiB", "1e30"} {
		if n, err := ParseSize(text); err == nil {
			t.Errorf("%q was parsed as %d", text, n)
		}
	}
}
