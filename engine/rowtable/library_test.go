package rowtable_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/blockformat"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/engine/rowtable"
)

var builders = []engine.Builder{pebblev1.Engine.(engine.Builder), pebblev2.Engine.(engine.Builder)}

// record is one record of a table.
type record struct {
	key   [rowtable.KeySize]byte
	seq   uint64
	value []byte
}

// library is a library's table writer with a configuration.
type library struct {
	engine.Builder
	cfg  engine.Config
	dir  string
	form rowtable.Form
}

// configured returns a library with the Form of its L0 tables and the Template of a table
// that it writes.
func configured(t testing.TB, b engine.Builder, options []string) *library {
	t.Helper()
	cfg, err := b.Configure("", append([]string{"format=13"}, options...))
	require.NoError(t, err)
	form, err := b.TableOptions(cfg)
	require.NoError(t, err)
	l := &library{Builder: b, cfg: cfg, dir: t.TempDir()}
	template, err := rowtable.ReadTemplate(l.table(t, []record{{value: []byte("value")}}))
	require.NoError(t, err)
	l.form = rowtable.Form{
		BlockSize: form.BlockSize, IndexBlockSize: form.IndexBlockSize, RestartInterval: form.RestartInterval,
		FlushAbove: form.FlushAbove, IndexFlushAbove: form.IndexFlushAbove, FlushAtThreshold: form.FlushAtThreshold,
		BloomBits: form.BloomBits[0], Snappy: form.Snappy, Template: template,
	}
	return l
}

// table returns the table that the library writes for the records.
func (l *library) table(t testing.TB, records []record) []byte {
	t.Helper()
	path := filepath.Join(l.dir, "model.sst")
	w, err := l.NewTable(path, l.cfg, 0)
	require.NoError(t, err)
	for _, r := range records {
		require.NoError(t, w.Set(r.key[:], r.seq, r.value))
	}
	require.NoError(t, w.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// randomOptions returns random options. Sizes are sometimes so small that a block holds
// one record and an index block one entry.
func randomOptions(random *rand.Rand) []string {
	one := func(of ...int) int { return of[random.IntN(len(of))] }
	options := []string{
		fmt.Sprintf("block_size=%d", one(64, 100, 500, 1_000, 4_096, 5_003)),
		fmt.Sprintf("index_block_size=%d", one(64, 100, 200, 1_000, 4_096)),
		fmt.Sprintf("block_restart_interval=%d", one(1, 2, 3, 16, 17, 100)),
		fmt.Sprintf("bloom_bits=%d", one(0, 1, 10, 16)),
	}
	if random.IntN(4) == 0 {
		options = append(options, "compression=none")
	}
	return options
}

func fill(random *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(random.Uint32())
	}
}

// randomRecords returns sorted records. Their keys share prefixes of all lengths. Their
// values are empty, short or longer than a block, and compress well, badly or not at all.
func randomRecords(random *rand.Rand, n int) []record {
	records := make([]record, n)
	size, same := random.IntN(200), random.IntN(5)
	for i := range records {
		r := &records[i]
		if i > 0 && random.IntN(2) == 0 {
			r.key = records[i-1].key
		}
		fill(random, r.key[random.IntN(rowtable.KeySize):])
		if random.IntN(2) == 0 {
			r.seq = random.Uint64N(1 << 56)
		}
		if random.IntN(20) == 0 {
			r.value = make([]byte, random.IntN(6_000))
		} else {
			r.value = make([]byte, size)
		}
		fill(random, r.value[len(r.value)*same/5:])
	}
	slices.SortFunc(records, func(a, b record) int { return bytes.Compare(a.key[:], b.key[:]) })
	return slices.CompactFunc(records, func(a, b record) bool { return a.key == b.key })
}

// write writes a table and calls Take at random times.
func write(w *rowtable.Writer, form *rowtable.Form, records []record, random *rand.Rand) (data []byte, tail *rowtable.Tail) {
	w.Begin(form)
	for _, r := range records {
		w.Add(&r.key, r.seq, r.value)
		if random.IntN(10) == 0 {
			pending := w.Pending()
			taken := w.Take()
			if len(taken) != pending {
				panic("Take and Pending differ")
			}
			data = append(data, taken...)
		}
	}
	tail = w.Finish()
	return append(data, w.Take()...), tail
}

// Tables of random records and forms are identical to the libraries'. So are tails written
// with lengths only, and single blocks.
func TestTablesMatchLibraries(t *testing.T) {
	for _, b := range builders {
		t.Run(b.Name(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(7, 8))
			whole, lengths := rowtable.NewWriter(rowtable.Options{}), rowtable.NewWriter(rowtable.Options{LengthsOnly: true})
			bare := rowtable.NewWriter(rowtable.Options{LengthsOnly: true, FilterSizeOnly: true})
			counts := 0
			for round := range 50 {
				options := randomOptions(random)
				l := configured(t, b, options)
				for range 3 {
					records := randomRecords(random, 1+random.IntN(1<<random.IntN(11)))
					name := fmt.Sprintf("round %d, %d records, %v", round, len(records), options)
					want := l.table(t, records)
					data, tail := write(whole, &l.form, records, random)
					require.Equal(t, want, append(data, tail.Bytes...), "%s: %d bytes differ from the library's %d", name, len(data)+len(tail.Bytes), len(want))
					checkTail(t, name, tail, want)
					none, sized := write(lengths, &l.form, records, random)
					if len(none) > 0 || !bytes.Equal(sized.Bytes, tail.Bytes) {
						t.Fatalf("%s: by lengths alone, the tail differs", name)
					}
					checkTail(t, name, sized, want)
					_, unfiltered := write(bare, &l.form, records, random)
					if !bytes.Equal(unfiltered.Bytes, tail.Bytes[tail.FilterSize:]) || unfiltered.FilterSize != tail.FilterSize {
						t.Fatalf("%s: without the filter's bytes, the tail differs", name)
					}
					checkTail(t, name, unfiltered, want)
					counts += checkBlocks(t, name, &l.form, records, want[:tail.DataSize], tail)
				}
			}
			assert.GreaterOrEqual(t, counts, 1_000)
		})
	}
}

// checkTail compares the fields of a tail with the table.
func checkTail(t *testing.T, name string, tail *rowtable.Tail, table []byte) {
	t.Helper()
	if tail.Size != uint64(len(table)) || !bytes.HasSuffix(table, tail.Bytes[len(tail.Bytes)-60:]) {
		t.Fatalf("%s: a table of %d bytes has a tail that claims %d", name, len(table), tail.Size)
	}
	next := tail.DataSize + tail.FilterSize
	var before uint64
	for i, p := range tail.Partitions {
		if p.Index != next || i == 0 && p.Data != 0 || i > 0 && p.Data <= before || p.Data >= tail.DataSize {
			t.Fatalf("%s: partition %d of %d is %+v, want one that begins at %d", name, i, len(tail.Partitions), p, next)
		}
		next, before = p.Index+p.IndexLen+blockformat.TrailerLen, p.Data
	}
}

// checkBlocks makes every data block of a table separately. It finds the number of records
// of each by trying.
func checkBlocks(t *testing.T, name string, form *rowtable.Form, records []record, data []byte, tail *rowtable.Tail) (blocks int) {
	t.Helper()
	w := rowtable.NewWriter(rowtable.Options{})
	make := func(n int) []byte {
		next := 0
		return w.DataBlock([]byte("before"), form, n, func(key *[rowtable.KeySize]byte) (uint64, []byte) {
			r := &records[next]
			next++
			*key = r.key
			return r.seq, r.value
		})[len("before"):]
	}
	for ; len(records) > 0; blocks++ {
		n := 1
		for n < len(records) && !bytes.HasPrefix(data, make(n)) {
			n++
		}
		made := make(n)
		require.True(t, bytes.HasPrefix(data, made), "%s: no first records of %d make block %d", name, len(records), blocks)
		data, records = data[len(made):], records[n:]
	}
	if len(data) > 0 || uint64(blocks) != tail.DataBlocks {
		t.Fatalf("%s: %d blocks leave %d bytes of %d blocks", name, blocks, len(data), tail.DataBlocks)
	}
	return blocks
}

// Blocks end at exactly the same byte as the libraries', before and after restart points.
// The test grows the last record of a block until it no longer fits, or the records before
// it until no further record fits.
func TestBlocksEndWhereLibrariesEndThem(t *testing.T) {
	const target = 2_000
	for _, b := range builders {
		t.Run(b.Name(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(11, 12))
			l := configured(t, b, []string{fmt.Sprintf("block_size=%d", target), "compression=none"})
			threshold := l.form.FlushAbove
			ends := map[bool]int{}
			hold := func(sizes []int) {
				records := make([]record, len(sizes))
				for i, n := range sizes {
					records[i].key[0] = byte(i)
					fill(random, records[i].key[1:])
					records[i].value = make([]byte, n)
				}
				data, tail := write(rowtable.NewWriter(rowtable.Options{}), &l.form, records, random)
				assert.Equal(t, l.table(t, records), append(data, tail.Bytes...), "values of %v bytes: not the library's table", sizes)
				ends[tail.DataBlocks > 1]++
			}
			for _, n := range []int{1, 2, 15, 16, 17, 32, 33} {
				// Values such that n records fill a block just over its threshold.
				sizes := make([]int, n+1)
				room := threshold + 20 - n*(3+rowtable.KeySize+8) - 4*((n+15)/16) - 4
				for i := range n {
					sizes[i] = room / n
				}
				sizes[0] += room % n
				left := target - threshold - 20 - rowtable.KeySize - 8
				for sizes[n] = left - 12; sizes[n] <= left+4; sizes[n]++ {
					hold(sizes)
				}
				sizes[n] = target
				sizes[0] -= 24 // now below the threshold
				for range 10 {
					sizes[0]++
					hold(sizes)
				}
			}
			if ends[true] < 20 || ends[false] < 20 {
				t.Errorf("blocks ended and did not: %v", ends)
			}
		})
	}
}

// A writer may skip the compression of random values without changing the bytes, below and
// above minIncompressible.
func TestIncompressibleValues(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, b := range builders {
		l := configured(t, b, nil)
		for _, size := range []int{1, 20, 90, 99, 100, 101, 110, 1_000} {
			records := make([]record, 300)
			for i := range records {
				r := &records[i]
				binary.BigEndian.PutUint64(r.key[:], uint64(i)<<40)
				fill(random, r.key[7:])
				r.value = make([]byte, size)
				fill(random, r.value)
			}
			data, tail := write(rowtable.NewWriter(rowtable.Options{Incompressible: true}), &l.form, records, random)
			assert.Equal(t, l.table(t, records), append(data, tail.Bytes...), "%s: random values of %d bytes: not the library's table", b.Name(), size)
			checkBlocks(t, b.Name(), &l.form, records, data[:tail.DataSize], tail)
		}
	}
}

// ReadTemplate rejects tables that the library did not write.
func TestReadTemplateRejectsOtherTables(t *testing.T) {
	l := configured(t, builders[0], nil)
	table := l.table(t, []record{{value: []byte("value")}})
	for cut := range table {
		_, err := rowtable.ReadTemplate(table[:cut])
		assert.Error(t, err, "a table cut off at %d of %d bytes has a template", cut, len(table))
	}
	_, err := rowtable.ReadTemplate(make([]byte, 100))
	assert.Error(t, err, "zeros have a template")
	for at := range table {
		damaged := bytes.Clone(table)
		damaged[at] ^= 0x80
		rowtable.ReadTemplate(damaged) // it may have one, and must not panic
	}
}
