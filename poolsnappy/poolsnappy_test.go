package poolsnappy

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/golang/snappy"
)

// blockOf writes a data block as row-format tables have them: restart interval
// 16, keys of 32 bytes that share their first bytes, trailers of which the
// sequence number is 0 or random below seqs.
func blockOf(r *rand.Rand, values [][]byte, seqs uint64, random int) (src []byte, records []Record) {
	src = make([]byte, 0, BlockCap)
	prefix := r.Uint64()
	var restarts []uint32
	for n := 0; len(src)+len(values[0])+60+4*len(restarts) < maxBlock; n++ {
		shared := 0
		if n%16 == 0 {
			restarts = append(restarts, uint32(len(src)))
		} else {
			shared = 2 + r.IntN(3)
		}
		src = append(src, byte(shared), byte(40-shared))
		src = binary.AppendUvarint(src, uint64(len(values[0])))
		var key [32]byte
		for i := range key {
			key[i] = byte(r.IntN(random))
		}
		binary.BigEndian.PutUint16(key[:], uint16(prefix))
		key[2] = byte(n >> 4)
		src = append(src, key[shared:]...)
		trailer := uint64(1)
		if seqs > 0 {
			trailer |= r.Uint64N(seqs) << 8
		}
		src = binary.LittleEndian.AppendUint64(src, trailer)
		v := r.IntN(len(values))
		records = append(records, Record{Start: len(src), Value: v})
		src = append(src, values[v]...)
	}
	for _, at := range restarts {
		src = binary.LittleEndian.AppendUint32(src, at)
	}
	return binary.LittleEndian.AppendUint32(src, uint32(len(restarts))), records
}

func poolOf(r *rand.Rand, n, size, random int) (values [][]byte) {
	for range n {
		value := make([]byte, size)
		for i := range value {
			value[i] = byte(r.IntN(random))
		}
		values = append(values, value)
	}
	return values
}

func requireSame(t *testing.T, e *Encoder, src []byte, records []Record) {
	t.Helper()
	want := snappy.Encode(nil, src)
	if got := e.Encode(nil, src, records); !bytes.Equal(got, want) {
		t.Fatalf("a block of %d bytes is encoded in %d bytes, by the library in %d", len(src), len(got), len(want))
	}
	if n := e.Len(src, records); n != len(want) {
		t.Fatalf("a block of %d bytes takes %d bytes, by the library %d", len(src), n, len(want))
	}
}

// Bytes of few different values make for matches everywhere, within keys, within
// values and between them.
func TestEncodesAsTheLibrary(t *testing.T) {
	for _, c := range []struct {
		name                       string
		pool, size                 int
		seqs                       uint64
		keyAlphabet, valueAlphabet int
		blocks                     int
		mayBeSlow                  bool
	}{
		{"published", 32, 110, 0, 256, 256, 20_000, false},
		{"upper levels", 32, 110, 200_000_000, 256, 256, 20_000, false},
		{"few sequence numbers", 32, 110, 300, 256, 256, 5_000, false},
		{"small pool", 2, 110, 0, 256, 256, 2_000, false},
		{"one value", 1, 40, 0, 256, 256, 2_000, false},
		{"short values", 32, 16, 0, 256, 256, 2_000, false},
		{"longest values", 32, maxValue, 1 << 40, 256, 256, 2_000, false},
		{"keys that repeat", 32, 110, 9, 4, 256, 5_000, false},
		{"keys like values", 8, 30, 9, 16, 16, 5_000, true},
		{"values that repeat", 32, 110, 0, 256, 4, 500, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			fast := 0
			var values [][]byte
			var e *Encoder
			for n := range c.blocks {
				if n%500 == 0 {
					values = poolOf(r, c.pool, c.size, c.valueAlphabet)
					e = NewEncoder(NewPool(values))
				}
				src, records := blockOf(r, values, c.seqs, c.keyAlphabet)
				requireSame(t, e, src, records)
				if e.walk(src, records) {
					fast++
				}
			}
			if fast < c.blocks && !c.mayBeSlow {
				t.Errorf("%d of %d blocks went the fast way", fast, c.blocks)
			}
		})
	}
}

// Keys that hold bytes of the pool's values: what the fast way takes to be
// impossible until it sees it.
func TestKeysWithBytesOfValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := poolOf(r, 32, 110, 256)
	e := NewEncoder(NewPool(values))
	for range 5_000 {
		src, records := blockOf(r, values, 0, 256)
		for range 1 + r.IntN(8) {
			at := records[r.IntN(len(records))].Start - 36 + r.IntN(24)
			n := 4 + r.IntN(8)
			value := values[r.IntN(32)]
			from := r.IntN(len(value) - n)
			copy(src[at:at+n], value[from:])
		}
		requireSame(t, e, src, records)
	}
}

func TestOtherBlocksAreTheLibrarys(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := poolOf(r, 32, 110, 256)
	src, records := blockOf(r, values, 0, 256)
	for name, e := range map[string]*Encoder{
		"no pool":            NewEncoder(NewPool(nil)),
		"values too long":    NewEncoder(NewPool(poolOf(r, 4, maxValue+1, 256))),
		"values too short":   NewEncoder(NewPool(poolOf(r, 4, minValue-1, 256))),
		"too many values":    NewEncoder(NewPool(poolOf(r, maxPool+1, 50, 256))),
		"values share bytes": NewEncoder(NewPool([][]byte{values[0], values[0]})),
	} {
		if e.pool.fast {
			t.Errorf("%s: the fast way was taken", name)
		}
		requireSame(t, e, src, records)
	}
	e := NewEncoder(NewPool(values))
	for n := 1; n < len(src); n += 7 {
		var inside []Record
		for _, v := range records {
			if v.Start+len(values[0]) <= n {
				inside = append(inside, v)
			}
		}
		requireSame(t, e, src[:n], inside)
	}
	requireSame(t, e, append(src, src...), records)
}

func FuzzEncode(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint16(256), uint16(0))
	f.Add(uint64(3), uint64(4), uint16(4), uint16(9))
	f.Fuzz(func(t *testing.T, a, b uint64, alphabet, seqs uint16) {
		r := rand.New(rand.NewPCG(a, b))
		values := poolOf(r, 1+r.IntN(maxPool), minValue+r.IntN(maxValue-minValue+1), 256)
		e := NewEncoder(NewPool(values))
		for range 20 {
			src, records := blockOf(r, values, uint64(seqs), 1+int(alphabet)%256)
			requireSame(t, e, src, records)
		}
	})
}

func BenchmarkLen(b *testing.B) {
	for name, seqs := range map[string]uint64{"L6": 0, "upper": 200_000_000} {
		r := rand.New(rand.NewPCG(1, 2))
		values := poolOf(r, 32, 110, 256)
		var blocks [500][]byte
		var records [500][]Record
		n := 0
		for i := range blocks {
			blocks[i], records[i] = blockOf(r, values, seqs, 256)
			n += len(records[i])
		}
		perKey := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(n)/500), "ns/key")
		}
		b.Run(name+"/fast", func(b *testing.B) {
			e := NewEncoder(NewPool(values))
			for i := range b.N {
				e.Len(blocks[i%500], records[i%500])
			}
			perKey(b)
		})
		b.Run(name+"/encode", func(b *testing.B) {
			e := NewEncoder(NewPool(values))
			dst := make([]byte, 0, 8192)
			for i := range b.N {
				e.Encode(dst, blocks[i%500], records[i%500])
			}
			perKey(b)
		})
		b.Run(name+"/library", func(b *testing.B) {
			dst := make([]byte, 8192)
			for i := range b.N {
				snappy.Encode(dst, blocks[i%500])
			}
			perKey(b)
		})
	}
}
