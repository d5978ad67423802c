package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine/region"
	"getio/engine/rocksdb"
)

// part is a stretch of a file that is damaged as a whole.
type part struct {
	file string // below the input's directory
	name string
	at   region.Extent
	// unchecked means that damage cannot be detected: text has no checksum, and a truncated log or freezer
	// index looks like one after a crash.
	unchecked bool
}

// partNames lists the names of parts, each once.
func partNames(parts []part) (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// damage changes a file.
type damage struct {
	kind  string
	off   int64
	bytes []byte // written at off
	end   int64  // of the file: where it is cut; -1: it is not
}

func (d damage) String() string {
	if d.end >= 0 {
		return fmt.Sprintf("cut at byte %d", d.end)
	}
	return fmt.Sprintf("%s of %d at byte %d", d.kind, len(d.bytes), d.off)
}

func (d damage) apply(file []byte) []byte {
	if d.end >= 0 {
		return file[:min(d.end, int64(len(file)))]
	}
	for i := range d.bytes {
		at := d.off + int64(i)
		if at == int64(len(file)) {
			file = append(file, 0)
		}
		if d.kind == "bit" {
			file[at] ^= d.bytes[i]
		} else {
			file[at] = d.bytes[i]
		}
	}
	return file
}

// drawDamage draws a damage of a part.
func drawDamage(rng *rand.Rand, p part) damage {
	size := p.at.End - p.at.Off
	d := damage{off: p.at.Off + rng.Int64N(size), end: -1}
	left := p.at.End - d.off
	switch rng.IntN(5) {
	case 0, 1:
		d.kind, d.bytes = "bit", []byte{1 << rng.IntN(8)}
	case 2:
		d.kind, d.bytes = "zeros", make([]byte, min(left, 1+rng.Int64N(512)))
	case 3:
		d.kind, d.bytes = "noise", make([]byte, min(left, 1+rng.Int64N(64)))
		for i := range d.bytes {
			d.bytes[i] = byte(rng.Uint32())
		}
	case 4:
		d.end = d.off
	}
	return d
}

// undamaged are the inputs that faultedInputs has made.
var undamaged struct {
	sync.Mutex
	inputs []*faulted
}

// faultedInputs makes what the campaigns read, once, and runs each command on it undamaged, twice.
func faultedInputs(t *testing.T) []*faulted {
	t.Helper()
	undamaged.Lock()
	defer undamaged.Unlock()
	if undamaged.inputs == nil {
		undamaged.inputs = makeFaultedInputs(t)
	}
	return undamaged.inputs
}

func makeFaultedInputs(t *testing.T) []*faulted {
	t.Helper()
	var inputs []*faulted
	for _, engine := range []string{"pebblev1", "pebblev2", "goleveldb", "rocksdb"} {
		if engine == "rocksdb" && rocksdb.Missing {
			continue
		}
		dir, err := sharedDataset(engine)
		require.NoError(t, err)
		inputs = append(inputs, faultedDataset("natural "+engine, dir))
	}
	for _, engine := range []string{"pebblev1", "pebblev2"} {
		for _, how := range []string{"--shaped", "--virtual"} {
			dir, err := sharedDir(engine+how, func(dir string) error {
				return getio("load", dir, "--keys", "20k", how, "--engine", engine)
			})
			require.NoError(t, err)
			inputs = append(inputs, faultedDataset(how[2:]+" "+engine, dir))
		}
	}
	inputs = append(append(inputs, faultedChain(t)), faultedTexts(t)...)
	for _, in := range inputs {
		for _, command := range in.commands {
			in.whole = append(in.whole, repeated(t, in, command))
		}
		in.others = make([]sync.Map, len(in.commands))
		require.NotEmpty(t, in.parts, in.name)
	}
	return inputs
}

// repeated returns the figures of a command that two runs in a row agree on. RocksDB charges blocks
// with what the allocator returned for them, so that a run may read a few more or fewer now and then.
func repeated(t *testing.T, in *faulted, command []string) (figures string) {
	for range 4 {
		out, errOut, err := runOn(in.dir, command)
		require.NoError(t, err, errOut)
		before := figures
		if figures = figuresOf(out, in.dir); figures == before {
			return figures
		}
	}
	t.Fatalf("%s: getio %v does not repeat", in.name, command)
	return ""
}

func faultedDataset(name, dir string) *faulted {
	in := &faulted{name: name, dir: dir, parts: partsBelow(dir), commands: [][]string{
		{"inspect", "DIR", "--json"},
		{"measure", "DIR", "--json", "--cache", "1MiB", "--gets", "2k", "--warmup", "500", "--workers", "1", "--exact-split"},
		{"measure", "DIR", "--json", "--cache", "1MiB", "--gets", "2k", "--warmup", "0", "--workers", "1", "--absent", "50%"},
		{"curve", "DIR", "--json", "--cache", "1MiB", "--gets", "2k", "--warmup", "500"},
	}}
	if strings.HasSuffix(name, rocksdb.Engine.Name()) {
		// The keys of RocksDB's cache, and so the shard of a block, differ each time a database is opened.
		in.commands[1] = append(in.commands[1], "--shards", "1")
		in.commands[2] = append(in.commands[2], "--shards", "1")
	}
	return in
}

// faultedChain is a chaindata with a freezer.
func faultedChain(t *testing.T) *faulted {
	t.Helper()
	dir, err := sharedDir("faulted-chain", func(dir string) error {
		return getio("chain", "build", dir, "--accounts", "300", "--blocks", "60", "--txs", "3", "--age", "10", "--freezer", "30", "--flat")
	})
	require.NoError(t, err)
	return &faulted{name: "chain", dir: dir, parts: partsBelow(dir), commands: [][]string{
		{"inspect", "DIR", "--json"},
		{"inspect", "DIR", "--categories", "--exact", "--json"},
		{"chain", "measure", "DIR", "--json", "--cache", "1MiB", "--ops", "60", "--warmup", "20"},
	}}
}

// faultedTexts returns a file of records, a shape and a trace, each as an input of its own.
func faultedTexts(t *testing.T) (texts []*faulted) {
	t.Helper()
	tree, err := sharedDataset("pebblev1")
	require.NoError(t, err)
	for _, text := range []struct{ name, write, read string }{
		{"records", "sweep TREE --cache 1MiB,2MiB --gets 2k --warmup 500 --workers 1 --out FILE", "report DIR/records"},
		{"shape", "inspect TREE --shape FILE", "predict --shape DIR/shape --cache 1MiB --gets 2k --warmup 500 --json"},
		{"trace", "measure TREE --cache 1MiB --gets 2k --warmup 100 --workers 1 --record FILE", "measure TREE --trace DIR/trace --cache 1MiB --workers 1 --json"},
	} {
		words := func(command, dir string) []string {
			return strings.Fields(strings.NewReplacer("TREE", tree, "FILE", filepath.Join(dir, text.name)).Replace(command))
		}
		dir, err := sharedDir("faulted-"+text.name, func(dir string) error {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			return getio(words(text.write, dir)...)
		})
		require.NoError(t, err)
		in := &faulted{name: "text", dir: dir, parts: partsBelow(dir), commands: [][]string{words(text.read, "")}}
		for i := range in.parts {
			in.parts[i].unchecked = true
		}
		texts = append(texts, in)
	}
	return texts
}

// partsBelow lists the parts of all files below a directory: the regions of each table, and each other file
// as a whole.
func partsBelow(dir string) (parts []part) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil || fi.Size() == 0 {
			return err
		}
		file, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if ext := filepath.Ext(file); ext == ".sst" || ext == ".ldb" {
			of, err := partsOfTable(path, file)
			parts = append(parts, of...)
			return err
		}
		class := classOf(file)
		parts = append(parts, part{file: file, name: class, at: region.Extent{End: fi.Size()}, unchecked: class == "OPTIONS" || class == "log" || class == "freezer index"})
		return nil
	})
	if err != nil {
		panic(err) // what was just made is read
	}
	return parts
}

func partsOfTable(path, file string) (parts []part, err error) {
	m, err := regionsOf(path)
	if err != nil {
		return nil, err
	}
	of := map[string]region.Extent{
		"data": m.Data, "filter": m.Filter, "index": m.Index, "top index": m.TopIndex, "properties": m.Properties,
		"metaindex": m.MetaIndex, "filter partitions": m.FilterPartitions, "footer": {Off: m.MetaIndex.End, End: m.Size},
	}
	for name, at := range of {
		if at.Off < at.End {
			parts = append(parts, part{file: file, name: name, at: at})
		}
	}
	for _, at := range m.Others {
		parts = append(parts, part{file: file, name: "other", at: at})
	}
	slices.SortFunc(parts, func(a, b part) int { return int(a.at.Off - b.at.Off) })
	return parts, nil
}

// classOf names the kind of a file.
func classOf(file string) string {
	base := filepath.Base(file)
	switch {
	case strings.HasSuffix(base, "idx"):
		return "freezer index"
	case strings.Contains(file, "ancient"):
		return "freezer"
	case strings.HasSuffix(base, ".log"):
		return "log"
	}
	kind, _, _ := strings.Cut(base, "-")
	kind, _, _ = strings.Cut(kind, ".0")
	return kind
}

// volatile lists the fields of records that differ between runs.
var volatile = []string{"time", "environment", "gets_per_second", "cpu_us_per_get", "device", "seconds", "path", "us", "created", "finished", "engine_version"}

// figuresOf returns the output of a command without the volatile fields.
func figuresOf(out, dir string) string {
	var figures strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(out, dir, "DIR")) {
		var record any
		if json.Unmarshal([]byte(line), &record) != nil {
			figures.WriteString(line)
			continue
		}
		text, _ := json.Marshal(withoutVolatile(record)) // decoded from JSON
		figures.Write(append(text, '\n'))
	}
	return figures.String()
}

func withoutVolatile(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if slices.Contains(volatile, name) {
				delete(v, name)
			} else {
				v[name] = withoutVolatile(field)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutVolatile(v[i])
		}
	}
	return v
}
