package adapter

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden frames")

// goldenFile is also read by the tests of adapters in other languages.
const goldenFile = "testdata/frames.txt"

// golden is a frame of one kind or variant.
type golden struct {
	name    string
	kind    Kind
	message any
}

func goldens() []golden {
	hello := &Hello{
		Version: 1, Engine: "store", EngineVersion: "1.2.3", Patches: []string{"no direct I/O", "ünïcode"},
		Configurations: []Configuration{
			{Name: "memory", About: "index in memory", MinKey: 1, MaxKey: 255, MaxValue: 1 << 20, KeyHash: "sha256", Ordered: true, MemoryPerKey: 12.5},
			{Name: "pages", MinKey: 32, MaxKey: 32, ValueSizes: []uint32{32, 72}, MinValue: 32, MaxValue: 72, Proofs: AllProofs,
				Caches: []Cache{{Name: "pages", Least: 1 << 20}, {Name: "roots", Least: 4096, Stays: true}}},
		},
	}
	open := &Open{Dir: "/a/dir", Configuration: "pages", Mode: Read, Keys: 1 << 40, CacheBytes: 5_000_000, Options: []string{"workers=2"}}
	opened := &Opened{Root: []byte{0xaa, 0xbb}, Options: []Option{{"workers", "2"}, {"empty", ""}}}
	return []golden{
		{"hello", KindHello, &helloRequest{1}},
		{"hello answer", KindHello | kindAnswer, hello},
		{"open", KindOpen, open},
		{"open answer", KindOpen | kindAnswer, opened},
		{"load", KindLoad, &[]Record{{[]byte("key"), []byte("value")}, {[]byte{0}, []byte{}}}},
		{"load answer", KindLoad | kindAnswer, &nothing{}},
		{"commit", KindCommit, &nothing{}},
		{"commit answer", KindCommit | kindAnswer, &[]byte{1, 2, 3}},
		{"get", KindGet, &getRequest{true, [][]byte{[]byte("key"), []byte("absent")}}},
		{"get answer", KindGet | kindAnswer, &got{1234567, []Answer{{true, []byte("value"), 460}, {false, []byte{}, 33}}}},
		{"check", KindCheck, &checkRequest{[]byte{1, 2, 3}, []Claim{{true, []byte("value")}, {false, []byte{}}}}},
		{"check answer", KindCheck | kindAnswer, &[]bool{true, false}},
		{"stats", KindStats, &nothing{}},
		{"stats answer", KindStats | kindAnswer, &[]Stat{{Name: "reads", Unit: "count", Value: 3}, {Name: "share", Value: 0.25}}},
		{"drop caches", KindDropCaches, &nothing{}},
		{"drop caches answer", KindDropCaches | kindAnswer, &nothing{}},
		{"quiesce", KindQuiesce, &nothing{}},
		{"working", kindWorking, new("3 compactions under way")},
		{"quiesce answer", KindQuiesce | kindAnswer, &nothing{}},
		{"close", KindClose, &nothing{}},
		{"close answer", KindClose | kindAnswer, &nothing{}},
		{"failed", kindFailed, new("the disk is full")},
	}
}

// empty returns a message of the same type without contents.
func (g golden) empty() any {
	return reflect.New(reflect.TypeOf(g.message).Elem()).Interface()
}

// TestGoldenFrames compares the encoded frames, and what they decode to, with a file.
func TestGoldenFrames(t *testing.T) {
	var lines strings.Builder
	lines.WriteString("# One frame of each kind, length first. Written by 'go test ./statedb/adapter -rewrite'.\n")
	for _, g := range goldens() {
		var f frame
		var out bytes.Buffer
		require.NoError(t, f.write(&out, encode(f.begin(g.kind), g.message)))
		fmt.Fprintf(&lines, "%s: %x\n", g.name, out.Bytes())
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(goldenFile, []byte(lines.String()), 0o644))
	}
	want, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	assert.Equal(t, string(want), lines.String(), "frames")
	frames := readGolden(t, string(want))
	for _, g := range goldens() {
		var f frame
		kind, payload, err := f.read(bytes.NewReader(frames[g.name]))
		if err != nil || kind != g.kind {
			t.Fatalf("%s: kind %v, error %v", g.name, kind, err)
		}
		got := g.empty()
		assert.NoError(t, decode(payload, got), g.name)
		assert.Equal(t, g.message, got, g.name)
	}
}

func readGolden(t *testing.T, text string) map[string][]byte {
	t.Helper()
	frames := map[string][]byte{}
	for line := range strings.Lines(text) {
		if name, digits, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			data, err := hex.DecodeString(digits)
			require.NoError(t, err)
			frames[name] = data
		}
	}
	return frames
}

// FuzzPayloads checks that a payload is refused, or decoded to something that encodes to the
// same bytes. Decoding takes only a few times the memory of the payload.
func FuzzPayloads(f *testing.F) {
	for i, g := range goldens() {
		f.Add(i, encode(nil, g.message))
		f.Add(i, append(encode(nil, g.message), 0))
		f.Add(i, []byte{0xff, 0xff, 0xff, 0xff})
	}
	f.Fuzz(func(t *testing.T, i int, payload []byte) {
		all := goldens()
		g := all[uint(i)%uint(len(all))]
		into := g.empty()
		if err := decode(payload, into); err != nil || otherVersion(into) {
			return // of another version, only the start is decoded
		}
		again := encode(nil, into)
		assert.Equal(t, string(payload), string(again), "%s: %+v", g.name, into)
	})
}

func otherVersion(m any) bool {
	switch m := m.(type) {
	case *Hello:
		return m.Version != Version
	case *helloRequest:
		return m.Version != Version
	}
	return false
}

// FuzzFrames checks that a frame that can be read encodes to the same bytes.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 4})
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte("Welcome to the model!"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var in, out frame
		in.buf = make([]byte, 0, 16)
		r := bytes.NewReader(data)
		kind, payload, err := in.read(r)
		assert.LessOrEqual(t, cap(in.buf), 4*(len(data)+1<<20), "buffer after %d bytes", len(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		require.NoError(t, out.write(&again, append(out.begin(kind), payload...)))
		assert.Equal(t, data[:len(data)-r.Len()], again.Bytes())
	})
}

func TestValidate(t *testing.T) {
	good := Configuration{Name: "a", MinKey: 1, MaxKey: 32, MaxValue: 100}
	for says, change := range map[string]func(*Hello, *Configuration){
		"names no engine":                   func(h *Hello, _ *Configuration) { h.Engine = "" },
		"no version of it":                  func(h *Hello, _ *Configuration) { h.EngineVersion = "" },
		"offers no configuration":           func(h *Hello, _ *Configuration) { h.Configurations = nil },
		"name \"\" is empty or used twice":  func(_ *Hello, c *Configuration) { c.Name = "" },
		"name \"a\" is empty or used twice": func(h *Hello, _ *Configuration) { h.Configurations = append(h.Configurations, good) },
		"keys of 33 to 32 bytes":            func(_ *Hello, c *Configuration) { c.MinKey = 33 },
		"keys of 0 to 0 bytes":              func(_ *Hello, c *Configuration) { c.MinKey, c.MaxKey = 0, 0 },
		"values of 101 to 100 bytes":        func(_ *Hello, c *Configuration) { c.MinValue = 101 },
		"contradicts its list of sizes":     func(_ *Hello, c *Configuration) { c.ValueSizes = []uint32{32} },
		"more than fit in a frame":          func(_ *Hello, c *Configuration) { c.MaxValue = MaxFrame },
		"needs -1 bytes of memory":          func(_ *Hello, c *Configuration) { c.MemoryPerKey = -1 },
		"more than fit in memory":           func(_ *Hello, c *Configuration) { c.Caches = []Cache{{Name: "pages", Least: 1 << 63}} },
	} {
		h := Hello{Engine: "e", EngineVersion: "1", Configurations: []Configuration{good}}
		require.NoError(t, h.Validate())
		change(&h, &h.Configurations[0])
		assert.ErrorContains(t, h.Validate(), says)
	}
}

func TestTakes(t *testing.T) {
	sizes := Configuration{MinKey: 20, MaxKey: 32, ValueSizes: []uint32{32, 72}, MinValue: 32, MaxValue: 72}
	bounds := Configuration{MinKey: 1, MaxKey: 4, MinValue: 2, MaxValue: 5}
	for _, c := range []struct {
		got, want bool
	}{
		{sizes.TakesKey(19), false}, {sizes.TakesKey(20), true}, {sizes.TakesKey(32), true}, {sizes.TakesKey(33), false},
		{sizes.TakesValue(32), true}, {sizes.TakesValue(33), false}, {sizes.TakesValue(72), true}, {sizes.TakesValue(0), false},
		{bounds.TakesValue(1), false}, {bounds.TakesValue(2), true}, {bounds.TakesValue(5), true}, {bounds.TakesValue(6), false},
	} {
		assert.Equal(t, c.want, c.got, c)
	}
}

func TestConfigurationsByName(t *testing.T) {
	h := Hello{Engine: "e", Configurations: []Configuration{{Name: "first"}, {Name: "second"}}}
	if c, err := h.Configuration(""); err != nil || c.Name != "first" {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := h.Configuration("second"); err != nil || c.Name != "second" {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := h.Configuration("third"); err == nil || err.Error() != `e has no configuration "third": use one of first, second` {
		t.Error(err)
	}
}
