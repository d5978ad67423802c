package lsm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEstimateMatchesPebble compares estimates with tables that Pebble v1.1.5 wrote in a
// natural load of 20 million keys.
func TestEstimateMatchesPebble(t *testing.T) {
	layout := TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16, BloomBits: 10}
	for _, c := range []struct {
		level   int
		density float64
		want    Table
	}{
		{0, 9.823e+04, Table{Records: 6063, DataBlocks: 234, IndexBlocks: 2, IndexBytes: 5261, TopIndexBytes: 48, FilterBytes: 7621}},
		{0, 9.859e+04, Table{Records: 4008, DataBlocks: 155, IndexBlocks: 0, IndexBytes: 0, TopIndexBytes: 3481, FilterBytes: 5061}},
		{4, 1.408e+07, Table{Records: 59377, DataBlocks: 2203, IndexBlocks: 13, IndexBytes: 52722, TopIndexBytes: 316, FilterBytes: 74309}},
		{4, 4.552e+06, Table{Records: 25683, DataBlocks: 978, IndexBlocks: 6, IndexBytes: 22969, TopIndexBytes: 146, FilterBytes: 32197}},
		{5, 5.589e+06, Table{Records: 61210, DataBlocks: 2297, IndexBlocks: 14, IndexBytes: 54845, TopIndexBytes: 339, FilterBytes: 76613}},
		{5, 8.218e+06, Table{Records: 55395, DataBlocks: 2077, IndexBlocks: 13, IndexBytes: 49534, TopIndexBytes: 315, FilterBytes: 69317}},
		{5, 3.265e+06, Table{Records: 24896, DataBlocks: 951, IndexBlocks: 6, IndexBytes: 22290, TopIndexBytes: 146, FilterBytes: 31173}},
		{6, 1.732e+07, Table{Records: 145274, DataBlocks: 5386, IndexBlocks: 32, IndexBytes: 129824, TopIndexBytes: 777, FilterBytes: 181701}},
		{6, 1.991e+07, Table{Records: 72872, DataBlocks: 2699, IndexBlocks: 16, IndexBytes: 64748, TopIndexBytes: 389, FilterBytes: 91205}},
	} {
		got := Table{Records: c.want.Records}
		layout.Estimate(&got, c.density)
		near := func(what string, got, want int64, within float64) {
			if math.Abs(float64(got-want)) > within*float64(want) {
				t.Errorf("L%d, %d records at a density of %.3g: %d %s, Pebble has %d", c.level, c.want.Records, c.density, got, what, want)
			}
		}
		near("data blocks", got.DataBlocks, c.want.DataBlocks, 0.02)
		near("index blocks", got.IndexBlocks, c.want.IndexBlocks, 0.08)
		near("bytes of index blocks", got.IndexBytes, c.want.IndexBytes, 0.025)
		near("bytes of top index", got.TopIndexBytes, c.want.TopIndexBytes, 0.1)
		near("bytes of filter", got.FilterBytes, c.want.FilterBytes, 0)
	}
}

// TestEstimateKeepsKnownDataBlocks: published trees come with their counts of data blocks.
func TestEstimateKeepsKnownDataBlocks(t *testing.T) {
	table := Table{Records: 1000, DataBlocks: 77}
	layout := TableFormat{KeyBytes: 32, ValueBytes: 110, BlockBytes: 4096, IndexBlockBytes: 4096, RestartInterval: 16}
	layout.Estimate(&table, 1e6)
	if table.DataBlocks != 77 || table.FilterBytes != 0 || table.TopIndexBytes == 0 {
		t.Errorf("got %+v", table)
	}
	layout.Estimate(&Table{}, 0) // a table that holds only range deletions must not panic
}

// TestSharedBytes compares the formula with random keys.
func TestSharedBytes(t *testing.T) {
	for _, c := range []struct{ keys, mean, variance float64 }{
		// Measured on sets of random 64-bit keys, 12 million and 1.3 million in total.
		{1 << 22, 2.09997, 0.12245}, {1 << 16, 1.36591, 0.24376},
	} {
		mean, variance := shared(c.keys)
		if math.Abs(mean-c.mean) > 0.0005 || math.Abs(variance-c.variance) > 0.0005 {
			t.Errorf("%.0f keys share %.4f bytes (variance %.4f), measured %.4f (%.4f)", c.keys, mean, variance, c.mean, c.variance)
		}
	}
}

// TestToSeparator compares the formula with separators of random keys.
func TestToSeparator(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, keys := range []float64{1 << 15, 1 << 18, 1 << 20, 14e6, 1 << 24, 2e8} {
		const draws = 400_000
		sum := 0.0
		for range draws {
			a := random.Float64()
			b := a + random.ExpFloat64()/keys
			for unit := 1.0 / 256; ; unit /= 256 {
				if at := (math.Floor(a/unit) + 1) * unit; at <= b {
					sum += (at - a) * keys / draws
					break
				}
			}
		}
		if got := toSeparator(keys); math.Abs(got-sum) > 0.01 {
			t.Errorf("%.0f keys: mean distance of a separator is %.4f, measured %.4f", keys, got, sum)
		}
	}
	assert.EqualValues(t, 0, (Table{Records: 27, DataBlocks: 1}).PastLast())
}

// TestSmallBlocks: a block is not closed below nine tenths of its size. Of records of 110 bytes, Pebble
// and RocksDB put seven into a block of 1 KiB, which is then larger than that.
func TestSmallBlocks(t *testing.T) {
	format := pebbleFormat
	format.BlockBytes = 1 << 10
	assert.InDelta(t, 7, format.recordsPerBlock(1e6), 0.05)
}

// TestBlockSizeFollowsFromRecords: tables say with which block size they were written, up to what makes
// no difference to them.
func TestBlockSizeFollowsFromRecords(t *testing.T) {
	for _, closeFull := range []bool{false, true} {
		for _, value := range []int64{110, 900, 1000, 1500, 2000, 3000} {
			for _, block := range []int64{1 << 10, 4 << 10, 16 << 10} {
				written := TableFormat{KeyBytes: 32, ValueBytes: value, BlockBytes: block, RestartInterval: 16, CloseFull: closeFull}
				table := Table{Records: 100_000, Smallest: Key(make([]byte, 8)), Largest: Key{255, 255, 255, 255, 255, 255, 255, 255}}
				written.Estimate(&table, table.density())
				var tables [NumLevels][]Table
				tables[6] = []Table{table}
				for _, option := range []int64{4 << 10, block} {
					guess := written
					guess.BlockBytes = option
					guess = guess.WithBlocksOf(NewShape(tables))
					again := Table{Records: table.Records}
					guess.Estimate(&again, table.density())
					assert.InEpsilon(t, table.DataBlocks, again.DataBlocks, 0.03, "values of %d bytes in blocks of %d, by option %d", value, block, option)
				}
			}
		}
	}
}
