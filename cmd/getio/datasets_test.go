package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/cockroachdb/pebble"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/util"

	"getio/internal/truth/truthtest"
	"getio/statedb/adapter"
	"getio/statedb/mdbx"
	"getio/workload/dataset"
)

// sharedKeys is the number of keys of the datasets that scripts start from.
const sharedKeys = 20_000

// smallTree are options that make a tree of a few thousand keys have several levels
// and, where there are any, second-level indexes.
func smallTree(engine string) []string {
	switch engine {
	case "rocksdb":
		return []string{
			"block_size=1KiB", "metadata_block_size=512", "target_file_size_base=128KiB", "target_file_size_multiplier=1", "write_buffer_size=512KiB",
			"max_bytes_for_level_base=256KiB", "max_bytes_for_level_multiplier=4", "load_cache=8MiB",
		}
	case "goleveldb":
		return []string{
			"block_size=1KiB", "table_size=128KiB", "memtable_size=256KiB", "l1_max_bytes=256KiB", "level_multiplier=4", "load_cache=8MiB",
		}
	}
	return []string{
		"block_size=1KiB", "index_block_size=512", "target_file_size=128KiB", "memtable_size=256KiB", "lbase_max_bytes=256KiB", "load_cache=8MiB",
	}
}

// shared is what the tests of one run make once and copy. Who waits for one thing keeps nobody
// from another.
var shared struct {
	sync.Mutex
	dir  string
	made map[string]func() error
}

// sharedDir makes something below a directory of the whole run, once.
func sharedDir(name string, make func(dir string) error) (string, error) {
	dir, made, err := enterShared(name, make)
	if err != nil {
		return "", err
	}
	return dir, made()
}

// enterShared is where something shared is, and what makes it unless it is made.
func enterShared(name string, make func(dir string) error) (dir string, made func() error, err error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.dir == "" {
		dir, err := os.MkdirTemp("", "getio-test-")
		if err != nil {
			return "", nil, err
		}
		shared.dir, shared.made = dir, map[string]func() error{}
	}
	dir = filepath.Join(shared.dir, name)
	if shared.made[name] == nil {
		shared.made[name] = sync.OnceValue(func() error { return make(dir) })
	}
	return dir, shared.made[name], nil
}

func removeShared() {
	if shared.dir != "" {
		chmodAll(shared.dir, 0o755, 0o644) // so that it can be removed
		os.RemoveAll(shared.dir)
	}
}

// getio runs the program for a test that needs what it makes.
func getio(args ...string) error {
	var stderr bytes.Buffer
	cmd := exec.Command("getio", args...)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("getio %v: %w: %s", args, err, stderr.String())
	}
	return nil
}

func sharedDataset(engine string) (string, error) {
	return sharedDir(engine, func(dir string) error {
		args := []string{"load", dir, "--keys", strconv.Itoa(sharedKeys), "--engine", engine}
		for _, o := range smallTree(engine) {
			args = append(args, "--option", o)
		}
		return getio(args...)
	})
}

func scriptDataset(ts *testscript.TestScript, _ bool, args []string) {
	from, err := sharedDataset(args[1])
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(from)))
}

func scriptUnfinished(ts *testscript.TestScript, neg bool, args []string) {
	scriptDataset(ts, neg, args)
	dir := ts.MkAbs(args[0])
	m, err := dataset.Read(dir)
	ts.Check(err)
	m.Complete, m.Finished = false, time.Time{}
	m.Progress = &dataset.Progress{Horizon: m.Keys}
	ts.Check(m.Write(dir))
}

func scriptKeyFile(ts *testscript.TestScript, _ bool, args []string) {
	m, err := dataset.Read(ts.MkAbs(args[1]))
	ts.Check(err)
	keys, err := m.NewKeyspace()
	ts.Check(err)
	n, err := strconv.ParseUint(args[2], 10, 64)
	ts.Check(err)
	var text bytes.Buffer
	text.WriteString("# the first keys\n\n")
	var key [dataset.KeySize]byte
	for i := range n {
		keys.Key(i, &key)
		fmt.Fprintf(&text, "0x%s\n", hex.EncodeToString(key[:]))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text.Bytes(), 0o644))
}

// scriptLevelDB makes a LevelDB database. Its keys are in the log alone, as in
// one that was never flushed, or in tables.
func scriptLevelDB(ts *testscript.TestScript, _ bool, args []string) {
	db, err := leveldb.OpenFile(ts.MkAbs(args[0]), nil)
	ts.Check(err)
	for i := range 1000 {
		ts.Check(db.Put(fmt.Appendf(nil, "key %d", i), []byte("value"), nil))
	}
	if args[1] == "tables" {
		ts.Check(db.CompactRange(util.Range{}))
	}
	ts.Check(db.Close())
}

// scriptBlobs makes a RocksDB database with values in blob files, as Besu writes them. Its column family
// default is empty.
func scriptBlobs(ts *testscript.TestScript, _ bool, args []string) {
	const scaled = "write_buffer_size=400000;target_file_size_base=200000;max_bytes_for_level_base=800000;"
	_, err := truthtest.Run(truthtest.Family("\x01", scaled+truthtest.Besu), "client", ts.MkAbs(args[0]), args[1])
	ts.Check(err)
}

// scriptMDBX makes an MDBX database with one table.
func scriptMDBX(ts *testscript.TestScript, _ bool, args []string) {
	library, err := mdbx.New()
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(dir), 0o755))
	store, _, err := library.Open(adapter.Open{Dir: dir, Mode: adapter.Create})
	ts.Check(err)
	var records []adapter.Record
	for i := range 5000 {
		records = append(records, adapter.Record{Key: fmt.Appendf(nil, "key %d", i), Value: []byte("value")})
	}
	ts.Check(store.Load(records))
	_, err = store.Commit()
	ts.Check(err)
	ts.Check(store.Close())
}

// scriptZstd makes a database of Pebble v1 that is compressed with Zstandard.
func scriptZstd(ts *testscript.TestScript, _ bool, args []string) {
	db, err := pebble.Open(ts.MkAbs(args[0]), &pebble.Options{
		Levels: []pebble.LevelOptions{{Compression: pebble.ZstdCompression}},
		Logger: silent{},
	})
	ts.Check(err)
	for i := range 1000 {
		ts.Check(db.Set(fmt.Appendf(nil, "key %d", i), []byte("value"), pebble.NoSync))
	}
	ts.Check(db.Flush())
	ts.Check(db.Close())
}
