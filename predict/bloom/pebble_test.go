package bloom

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/sstable"

	"getio/engine/blockformat"
)

// TestFalsePositivesMatchPebble looks up absent keys in Pebble's own filters.
func TestFalsePositivesMatchPebble(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{5, 10, 16} {
		const keys, asked = 200_000, 1_000_000
		w := bloom.FilterPolicy(bits).NewWriter(sstable.TableFilter)
		var key [8]byte
		for range keys {
			binary.LittleEndian.PutUint64(key[:], r.Uint64())
			w.AddKey(key[:])
		}
		filter := w.Finish(nil)
		maybe := 0.0
		for range asked {
			binary.LittleEndian.PutUint64(key[:], r.Uint64())
			if bloom.FilterPolicy(bits).MayContain(sstable.TableFilter, filter, key[:]) {
				maybe++
			}
		}
		want := falsePositives(float64(len(filter)) * 8 / keys)
		if got := maybe / asked; math.Abs(got-want) > 5*math.Sqrt(want/asked)+0.03*want {
			t.Errorf("%d bits per key: false-positive rate %.5f, want %.5f", bits, got, want)
		}
	}
}

// TestUsualPositives repeats the simulation whose results are kept.
func TestUsualPositives(t *testing.T) {
	if got := blockformat.Probes(usualBits); got != usualProbes {
		t.Fatalf("%d bits per key have %d probes, want %d", usualBits, got, usualProbes)
	}
	l := newLines(usualProbes)
	for keys := range usualPositives {
		if got, want := l.rate(keys), l.simulate(keys); got != want {
			t.Errorf("%d keys: false-positive rate %v, want %v", keys, got, want)
		}
	}
}
