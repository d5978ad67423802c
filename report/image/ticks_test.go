package image

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"

	"getio/report/chart"
)

// TestTicks: round places of typical axes.
func TestTicks(t *testing.T) {
	narrow := func(label string) float64 { return float64(len(label)) / 100 }
	for _, test := range []struct {
		span span
		unit chart.Unit
		want string
	}{
		{span{32 << 20, 240 << 20, true}, chart.CacheBytes, "32 MiB, 48 MiB, 64 MiB, 96 MiB, 128 MiB, 192 MiB"},
		{span{30 << 20, 9 << 30, true}, chart.CacheBytes, "32 MiB, 64 MiB, 128 MiB, 256 MiB, 512 MiB, 1 GiB, 2 GiB, 4 GiB, 8 GiB"},
		{span{512 << 10, 9 << 40, true}, chart.CacheBytes, "2 MiB, 16 MiB, 128 MiB, 1 GiB, 8 GiB, 64 GiB, 512 GiB, 4 TiB"},
		{span{40 << 20, 44 << 20, true}, chart.CacheBytes, "40 MiB, 40.5 MiB, 41 MiB, 41.5 MiB, 42 MiB, 42.5 MiB, 43 MiB, 43.5 MiB, 44 MiB"},
		{span{0, 5 << 29, false}, chart.CacheBytes, "0, 512 MiB, 1 GiB, 1.5 GiB, 2 GiB, 2.5 GiB"},
		{span{0.0012, 0.011, true}, shareOfDatabase, "0.15%, 0.2%, 0.3%, 0.5%, 0.7%, 1%"},
		{span{1.5e8, 3e10, true}, chart.Keys, "200M, 500M, 1G, 2G, 5G, 10G, 20G"},
		{span{0, 2.3, false}, chart.IOsPerGet, "0.0, 0.5, 1.0, 1.5, 2.0"},
		{span{-0.1, 1.04, false}, chart.HitRate, "0.0, 0.2, 0.4, 0.6, 0.8, 1.0"},
		{span{0, 12, false}, chart.IOsPerGet, "0, 2, 4, 6, 8, 10, 12"},
		{span{0.07, 6000, true}, chart.ReadsPerOperation, "0.1, 1, 10, 100, 1000"},
		{span{0.9, 8, true}, chart.ReadsPerOperation, "1, 1.5, 2, 3, 5, 7"},
		{span{0, 24, false}, chart.Level0Tables, "0, 5, 10, 15, 20"},
		{span{0.2, 900, true}, chart.MemoryPerKey, "1, 10, 100"},
	} {
		var labels []string
		for _, tick := range ticks(test.span, test.unit, narrow) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, test.want, strings.Join(labels, ", "), test.span)
	}
}

// TestTicksStandApart: any axis has a tick or two, all within it, and labels do not overlap.
func TestTicksStandApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	space := func(label string) float64 { return float64(utf8.RuneCountInString(label)) / 80 }
	for range 20_000 {
		from := math.Exp(r.Float64()*30 - 5)
		s := span{from, from * (1.01 + math.Exp(r.Float64()*15-5)), r.IntN(2) == 0}
		unit := []chart.Unit{chart.CacheBytes, chart.Keys, shareOfDatabase, chart.IOsPerGet}[r.IntN(4)]
		all := ticks(s, unit, space)
		if len(all) == 0 || len(all) > mostTicks {
			t.Fatalf("%+v %s: %d ticks", s, unit, len(all))
		}
		for i, tick := range all {
			if tick.Value < s.min || tick.Value > s.max {
				t.Fatalf("%+v %s: a tick at %g", s, unit, tick.Value)
			}
			if i > 0 && s.at(tick.Value)-s.at(all[i-1].Value) < (space(tick.Label)+space(all[i-1].Label))/2 {
				t.Fatalf("%+v %s: %s and %s overlap", s, unit, all[i-1].Label, tick.Label)
			}
		}
	}
}

// TestShortenedFits: a text that is too long loses its middle, and no more than needed.
func TestShortenedFits(t *testing.T) {
	of := func(s string) vg.Length { return vg.Length(utf8.RuneCountInString(s)) }
	for s, want := range map[string]string{
		"abc": "abc", "abcdefghij": "abcdefghij", "abcdefghijk": "abcde…hijk", "ägäßçdëfghijklmn": "ägäßç…klmn", "": "",
	} {
		assert.Equal(t, want, shortened(s, 10, of), "%q", s)
	}
	assert.Equal(t, "aa bb|cc|dd…dd|e", strings.Join(wrapped([]string{"aa bb cc", "dddddddddddddd e"}, 5, of), "|"))
}
