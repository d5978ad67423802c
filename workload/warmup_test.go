package workload

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseWarmup(t *testing.T) {
	for text, want := range map[string]Warmup{
		"auto": AutoWarmup, "0": WarmupGets(0), "5000": WarmupGets(5000), "1e3": WarmupGets(1000), "10M": WarmupGets(10_000_000), "0.05%": {fraction: 0.0005}, "100%": {fraction: 1},
	} {
		got, err := ParseWarmup(text)
		if err != nil || math.Abs(got.fraction-want.fraction) > 1e-12 || got.auto != want.auto || got.gets != want.gets {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := ParseWarmup(got.String()); err != nil || again != got {
			t.Errorf("%q reads back from %q as %+v, %v", text, got.String(), again, err)
		}
	}
	for _, text := range []string{"", "automatic", "-1", "-5%", "NaN%", "Inf%", "1.5", "%", "5 %x"} {
		if got, err := ParseWarmup(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
	assert.EqualValues(t, 100_000, (Warmup{fraction: 0.0005}).Gets(200_000_000))
}
