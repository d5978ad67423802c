package adapter_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/statedb/adapter"
)

// request encodes a frame as getio sends it.
func request(kind adapter.Kind, payload ...byte) []byte {
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(payload)+1)), byte(kind)), payload...)
}

// text encodes a text.
func text(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// TestServeGivesUp checks that an invalid frame ends the session with an error and makes no store.
func TestServeGivesUp(t *testing.T) {
	hello := request(adapter.KindHello, append(text("getio-adapter"), 1, 0, 0, 0)...)
	for says, in := range map[string][]byte{
		"a frame of kind 0x63":                                slices.Concat(hello, request(99)),
		"hello: it does not start with the greeting of getio": request(adapter.KindHello, append(text("hello"), 1, 0, 0, 0)...),
		"text that begins with \"GET \"":                      []byte("GET / HTTP/1.1\r\n"),
		"open: it ends too early":                             slices.Concat(hello, request(adapter.KindOpen, text("dir")...)),
		"commit: 1 bytes follow its end":                      slices.Concat(hello, request(adapter.KindCommit, 0)),
		"unexpected EOF":                                      hello[:7],
	} {
		err := adapter.Serve(bytes.NewReader(in), &bytes.Buffer{}, adaptertest.Engine{})
		assert.ErrorContains(t, err, says)
	}
}

// TestServeRefusesOutOfOrder checks that the session continues after a request at the wrong point.
func TestServeRefusesOutOfOrder(t *testing.T) {
	var in, out bytes.Buffer
	in.Write(request(adapter.KindStats))
	in.Write(request(adapter.KindHello, append(text("getio-adapter"), 2, 0, 0, 0, 'm', 'o', 'r', 'e')...))
	in.Write(request(adapter.KindStats))
	in.Write(request(adapter.KindHello, append(text("getio-adapter"), 1, 0, 0, 0)...))
	in.Write(request(adapter.KindStats))
	require.NoError(t, adapter.Serve(&in, &out, adaptertest.Engine{}))
	// After a greeting in another version it sends its own version and refuses everything else.
	var kinds []byte
	var texts []string
	for b := out.Bytes(); len(b) > 0; {
		n := binary.LittleEndian.Uint32(b)
		frame := b[4 : 4+n]
		kinds = append(kinds, frame[0])
		if frame[0] == 0xff {
			texts = append(texts, string(frame[5:]))
		}
		b = b[4+n:]
	}
	assert.Equal(t, []byte{0xff, 0x81, 0xff, 0x81, 0xff}, kinds)
	assert.Equal(t, "the session did not start with hello|the session did not start with hello|no store is open", strings.Join(texts, "|"), "%q", texts)
}

// quiet is a store that does nothing.
type quiet struct{ adapter.Store }

func (quiet) Quiesce(func(string)) error { return nil }
func (quiet) Close() error               { return nil }

// quietEngine opens quiet stores.
type quietEngine struct {
	adapter.Engine
	gcPercent *int // set to GOGC while a store is opened
}

func (e quietEngine) Open(adapter.Open) (adapter.Store, adapter.Opened, error) {
	*e.gcPercent = debug.SetGCPercent(100)
	debug.SetGCPercent(*e.gcPercent)
	return quiet{}, adapter.Opened{}, nil
}

// TestQuietStoresKeepNoGarbage: after quiesce, a process that reads has not even what pools keep.
func TestQuietStoresKeepNoGarbage(t *testing.T) {
	var pool sync.Pool
	kept := new([1 << 20]byte)
	garbage := weak.Make(kept)
	pool.Put(kept)
	kept = nil
	open := slices.Concat(text("dir"), text(""), []byte{byte(adapter.Read)}, make([]byte, 20))
	in := slices.Concat(request(adapter.KindHello, append(text("getio-adapter"), 1, 0, 0, 0)...), request(adapter.KindOpen, open...), request(adapter.KindQuiesce))
	var out bytes.Buffer
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	var opening int
	require.NoError(t, adapter.Serve(bytes.NewReader(in), &out, quietEngine{adaptertest.Engine{}, &opening}))
	assert.Equal(t, 10, opening, "garbage is collected early")
	assert.Equal(t, 77, debug.SetGCPercent(77), "and afterwards as before")
	assert.True(t, bytes.HasSuffix(out.Bytes(), []byte{1, 0, 0, 0, byte(adapter.KindQuiesce) + 128}), "%q", out.Bytes())
	assert.True(t, garbage.Value() == nil, "a pool still has it")
	runtime.KeepAlive(&pool)
}

// BenchmarkBatches measures the share of a lookup's time that frames take, by keys per
// frame. The store is a map in memory, so no real store's share is larger.
func BenchmarkBatches(b *testing.B) {
	for _, batch := range []int{1, 16, 256, 4096} {
		b.Run(fmt.Sprintf("keys=%d", batch), func(b *testing.B) {
			c, err := adapter.Start(b.Context(), command(b, adaptertest.None), time.Minute)
			require.NoError(b, err)
			defer c.End()
			_, err = c.Open(adapter.Open{Dir: filepath.Join(b.TempDir(), "store"), Configuration: "bytes"})
			require.NoError(b, err)
			require.NoError(b, c.Load([]adapter.Record{{Key: keyA, Value: small}}))
			keys := make([][]byte, batch)
			for i := range keys {
				keys[i] = keyA
			}
			var inStore time.Duration
			for b.Loop() {
				answers, took, err := c.Get(keys, false)
				if err != nil || !answers[batch-1].Found {
					b.Fatal(answers, err)
				}
				inStore += took
			}
			perKey := float64(b.Elapsed()-inStore) / float64(b.N*batch)
			b.ReportMetric(perKey, "frame-ns/key")
			b.ReportMetric(1-float64(inStore)/float64(b.Elapsed()), "frame-share")
			b.ReportMetric(0, "ns/op")
		})
	}
}
