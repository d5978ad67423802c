package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/workload"
)

// operations returns n operations of a kind.
func operations(kind workload.Kind, records, n int) (list []Operation) {
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		o := Operation{Kind: kind}
		keys := 1
		if kind == workload.Scan {
			o.Length = records
		} else {
			keys = records
		}
		for range keys {
			k := Key{Bytes: make([]byte, 1+random.IntN(40)), Presence: []Presence{Open, Present, Absent}[random.IntN(3)]}
			for i := range k.Bytes {
				k.Bytes[i] = byte(random.Uint32())
			}
			o.Keys = append(o.Keys, k)
		}
		list = append(list, o)
	}
	return list
}

func same(a, b Operation) bool {
	return a.Kind == b.Kind && a.Length == b.Length &&
		slices.EqualFunc(a.Keys, b.Keys, func(a, b Key) bool { return bytes.Equal(a.Bytes, b.Bytes) && a.Presence == b.Presence })
}

// TestRoundTrip writes and reads traces of every kind, compressed or not, with a warm-up.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"t", "t.gz"} {
		for kind, records := range map[workload.Kind]int{workload.Get: 1, workload.Scan: 77, workload.Multiget: 5} {
			path := filepath.Join(t.TempDir(), name)
			want := operations(kind, records, 3000)
			w, err := Create(path, nil)
			require.NoError(t, err)
			for i := range want {
				require.NoError(t, w.Write(&want[i]))
			}
			assert.NoFileExists(t, path, "an unfinished trace has its final name")
			require.NoError(t, w.Finish(1234))
			f, err := Check(context.Background(), path, nil)
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, (File{path, fmt.Sprintf("%x", sha256.Sum256(data)), 3000, Header{Warmup: 1234}, kind, records}), *f, f)
			r, err := NewReader(path)
			require.NoError(t, err)
			var o Operation
			for i := range want {
				require.NoError(t, r.Next(&o))
				if !same(o, want[i]) {
					t.Fatalf("operation %d: got %+v, want %+v", i, o, want[i])
				}
			}
			if err := r.Next(&o); err != io.EOF {
				t.Errorf("after the last operation: %v", err)
			}
			require.NoError(t, r.Close())
			requireAlone(t, path)
		}
	}
}

// TestRecordedRoundTrip writes and reads what a running program asked for.
func TestRecordedRoundTrip(t *testing.T) {
	for _, name := range []string{"t", "t.gz"} {
		path := filepath.Join(t.TempDir(), name)
		recorded := &Recorded{Sample: 16, Keys: Hashed}
		w, err := Create(path, recorded)
		require.NoError(t, err)
		want := operations(workload.Get, 1, 1000)
		for i := range want {
			want[i].Seen = Seen{At: time.Duration(i) * 1234 * time.Microsecond, By: int64(i%7 + 1), In: int64(i%99 + 1)}
			require.NoError(t, w.Write(&want[i]))
		}
		recorded.Gets, recorded.Before, recorded.Lost, recorded.Memtables = 16_123, 8001, 3, 0.25
		require.NoError(t, w.Finish(500))
		f, err := Check(t.Context(), path, nil)
		require.NoError(t, err)
		assert.Equal(t, Header{Warmup: 500, Recorded: &Recorded{Gets: 16_123, Before: 8001, Lost: 3, Sample: 16, Keys: Hashed, Memtables: 0.25}}, f.Header)
		assert.EqualValues(t, 4<<20, f.Memtables(16<<20))
		r, err := NewReader(path)
		require.NoError(t, err)
		defer r.Close()
		var o Operation
		for i := range want {
			require.NoError(t, r.Next(&o))
			require.True(t, same(o, want[i]) && o.Seen == want[i].Seen, "%+v for %+v", o, want[i])
		}
	}
}

// requireAlone requires that the file is alone in its directory.
func requireAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	if len(entries) > 1 || len(entries) == 1 && entries[0].Name() != filepath.Base(path) {
		t.Errorf("found %v beside %s", entries, path)
	}
}

func TestHandWrittenTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t")
	require.NoError(t, os.WriteFile(path, []byte("getio.trace/1\r\n# mine\n\n  get 0x00FF+ \r\nget\t0a-\nget 0b"), 0o666))
	f, err := Check(context.Background(), path, nil)
	require.NoError(t, err)
	assert.Zero(t, f.Memtables(16<<20))
	if f.Operations != 3 || f.Warmup != 0 || f.Kind != workload.Get {
		t.Errorf("%+v", f)
	}
	r, err := NewReader(path)
	require.NoError(t, err)
	defer r.Close()
	for i, want := range []Key{{[]byte{0, 0xff}, Present}, {[]byte{10}, Absent}, {[]byte{11}, Open}} {
		var o Operation
		require.NoError(t, r.Next(&o))
		if !same(o, Operation{Kind: workload.Get, Keys: []Key{want}}) || r.Line() != 4+i {
			t.Errorf("line %d: %+v", r.Line(), o)
		}
	}
}

// TestInvalidTraces checks that errors name the file, the line and the problem.
func TestInvalidTraces(t *testing.T) {
	const head, recorded = Schema + "\n", SchemaRecorded
	for content, want := range map[string]string{
		"":                                                "line 1: not a trace: the first line must be 'getio.trace/1'",
		"get 00\n":                                        "line 1: not a trace",
		"getio.trace/3\nget 00\n":                         "line 1: not a trace",
		recorded + " sample=0\n":                          `line 1: invalid sample "0": want a number from 1 on`,
		recorded + " keys=some\n":                         `line 1: unknown form of keys "some"`,
		recorded + " memtables=1.5\n":                     `line 1: invalid memtables "1.5": want a share of the block cache, from 0 to 1`,
		recorded + "\nscan 00 5\n":                        `line 2: "scan" in a recorded trace`,
		recorded + "\nget\n":                              "line 2: get with 0 keys",
		recorded + "\nget 00 01\n":                        `line 2: unknown field "01"`,
		recorded + "\nget 00 at=x\n":                      `line 2: invalid field "at=x"`,
		recorded + "\nget 00 at=-1\n":                     `line 2: invalid field "at=-1"`,
		recorded + "\nget 00 by=-1\n":                     `line 2: invalid field "by=-1"`,
		recorded + " sample=2\nget 00\n":                  "line 2: a sample without the neighbourhood of each key",
		"getio.trace/1 warmup=-1\n":                       `line 1: invalid warmup "-1"`,
		"getio.trace/1 warmup=x\n":                        `line 1: invalid warmup "x"`,
		"getio.trace/1 seed=1\n":                          `line 1: unknown field "seed=1"`,
		"getio.trace/2 gets=1\nget 00\nget 01\n":          "line 1: gets=1 and before=0 do not fit 2 operations",
		"getio.trace/2 gets=2 before=2\nget 00\n":         "line 1: gets=2 and before=2 do not fit 1 operations",
		"getio.trace/1 warmup=1\nget 00\n":                "line 1: warmup=1 leaves none of the 1 operations to measure",
		head:                                              "has no operations",
		head + "# nothing\n":                              "has no operations",
		head + "put 00\n":                                 `line 2: unknown operation "put"`,
		head + "get\n":                                    "line 2: get with 0 keys",
		head + "get 00 01\n":                              "line 2: get with 2 keys",
		head + "get 0\n":                                  `line 2: "0" is not a key in hexadecimal`,
		head + "\n\nget xy\n":                             `line 4: "xy" is not a key`,
		head + "get +\n":                                  `line 2: "+" is not a key`,
		head + "get 0x\n":                                 `line 2: "0x" is not a key`,
		head + "get 00++\n":                               `line 2: "00++" is not a key`,
		head + "get \xff\n":                               `line 2: "?" is not a key`,
		head + "scan 00\n":                                "line 2: a scan needs a key and a length",
		head + "scan 00 1 2\n":                            "line 2: a scan needs a key and a length",
		head + "scan 00 0\n":                              `line 2: invalid scan length "0"`,
		head + "scan 00 1000001\n":                        `line 2: invalid scan length "1000001"`,
		head + "scan 00 many\n":                           `line 2: invalid scan length "many"`,
		head + "multiget\n":                               "line 2: multiget without keys",
		head + "multiget 00 1\n":                          `line 2: "1" is not a key`,
		head + "get 00\nscan 00 5\n":                      "line 3: scan of 5 after get of 1",
		head + "scan 00 5\nscan 00 6\n":                   "line 3: scan of 6 after scan of 5",
		head + "multiget 00\nmultiget 0 1":                "line 3: ",
		head + "get " + strings.Repeat("00", MaxKey+1):    "is not a key",
		head + "multiget" + strings.Repeat(" 00", 10_001): "more than 10000 keys",
	} {
		path := filepath.Join(t.TempDir(), "t")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
		_, err := Check(context.Background(), path, nil)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: error %v, want %s", content, err, want)
		}
	}
}

func TestDamagedGzip(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.gz")
	w, err := Create(path, nil)
	require.NoError(t, err)
	list := operations(workload.Get, 1, 5000)
	for i := range list {
		require.NoError(t, w.Write(&list[i]))
	}
	require.NoError(t, w.Finish(0))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		"plain.gz": []byte(Schema + "\nget 00\n"), "empty.gz": nil,
		"short.gz": data[:len(data)/2], "header.gz": data[:10],
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o666))
		_, err := Check(context.Background(), path, nil)
		assert.ErrorContains(t, err, name)
	}
	_, err = Check(context.Background(), filepath.Join(dir, "none"), nil)
	assert.Error(t, err, "read a file that does not exist")
}

// TestWriterDoesNotOverwrite checks both Create and Finish.
func TestWriterDoesNotOverwrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t")
	w, err := Create(path, nil)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o666))
	_, err = Create(path, nil)
	assert.ErrorContains(t, err, "already exists")
	assert.ErrorContains(t, w.Finish(0), "was created in the meantime")
	if data, _ := os.ReadFile(path); string(data) != "mine" {
		t.Errorf("the file now holds %q", data)
	}
	requireAlone(t, path)
	_, err = Create(filepath.Join(path, "below"), nil)
	assert.Error(t, err, "created a trace in a directory that is a file")
}

func TestDiscardLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.gz")
	w, err := Create(path, nil)
	require.NoError(t, err)
	w.Discard()
	requireAlone(t, path)
	assert.Error(t, w.Finish(0), "a discarded trace was finished")
}

func TestCheckCanBeCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t")
	require.NoError(t, os.WriteFile(path, []byte(Schema+"\n"+strings.Repeat("get 00\n", 2*checkEvery)), 0o666))
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Check(ctx, path, func(int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestReadingAllocatesNothing applies once the buffers have grown.
func TestReadingAllocatesNothing(t *testing.T) {
	var o Operation
	line := []byte("multiget 000102030405060708+ 0102-")
	require.NoError(t, o.parse(line, false))
	if n := testing.AllocsPerRun(100, func() { require.NoError(t, o.parse(line, false)) }); n > 0 {
		t.Errorf("%v allocations per operation", n)
	}
}

// FuzzTrace checks that reading any file does not panic, and that operations round-trip.
func FuzzTrace(f *testing.F) {
	for _, seed := range []string{
		"getio.trace/1 warmup=1\nget 00+\nget 0xff-\n", "getio.trace/1\nscan ab 10\n", "getio.trace/1\nmultiget ab cd+ ef-\n", "get", "getio.trace/1\nget \n",
		"getio.trace/2 gets=2 sample=2 keys=hash memtables=0.25\nget 00 at=1.5 by=2 in=3\n",
	} {
		f.Add([]byte(seed))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "getio.trace/1\nget 00\n")
	z.Close()
	f.Add(packed.Bytes())
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"t", "t.gz"} {
			r := &Reader{path: name}
			if r.begin(bytes.NewReader(content)) != nil {
				continue
			}
			var o, again Operation
			for r.Next(&o) == nil {
				recorded := r.header.Recorded != nil
				line := o.append(nil, recorded)
				if err := again.parse(line[:len(line)-1], recorded); err != nil || !same(o, again) {
					t.Fatalf("%q parses as %+v, and after a round trip as %+v (%v)", line, o, again, err)
				}
			}
		}
	})
}
