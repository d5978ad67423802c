package main

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"
	"getio/system/filesystem"
)

// chainTruth is what the chaindata's author wrote down of it.
type chainTruth struct {
	Levels []struct{ Level, Tables, Bytes int64 }
	Files  []struct {
		Name, SHA256 string
		Size         int64
	}
	Format    int      `json:"format_major_version"`
	ReaderLog []string `json:"reader_log"`
	Total     struct{ Keys int64 }
}

func readChainTruth() (t chainTruth, err error) {
	dir, err := chaindataSource()
	if err != nil {
		return t, err
	}
	data, err := os.ReadFile(filepath.Join(dir, "chaindata-path.json"))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(data, &t)
}

// walKeys is how many keys the library said that it replayed.
func (t chainTruth) walKeys() (n int64) {
	for _, m := range regexp.MustCompile(`replayed (\d+) keys`).FindAllStringSubmatch(strings.Join(t.ReaderLog, "\n"), -1) {
		keys, _ := strconv.ParseInt(m[1], 10, 64)
		n += keys
	}
	return n
}

// requireFiles holds every file against its hash, taken before anything had opened the database.
func (t chainTruth) requireFiles(tb testing.TB, dir string) {
	tb.Helper()
	require.NotZero(tb, len(t.Files), "no hashes to compare with")
	for _, f := range t.Files {
		if sum, err := filesystem.SHA256(filepath.Join(dir, f.Name)); err != nil || sum != f.SHA256 {
			tb.Errorf("%s is not what it was: %v", f.Name, err)
		}
	}
}

// chainKey is a key of which is known whether it exists, and with what value.
type chainKey struct {
	key       []byte
	present   bool
	valueSize int
	valueHash string // the first 8 bytes of its SHA-256
}

func chainKeys() (keys []chainKey, err error) {
	dir, err := chaindataSource()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "chaindata-path-keys.txt.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(fields[0], "#") {
			continue
		}
		k := chainKey{present: fields[0] == "present"}
		if k.key, err = hex.DecodeString(fields[1]); err != nil {
			return nil, err
		}
		if k.present {
			if k.valueSize, err = strconv.Atoi(fields[3]); err != nil {
				return nil, err
			}
			k.valueHash = fields[4]
		}
		keys = append(keys, k)
	}
	return keys, lines.Err()
}

// TestChaindata reads the genuine database of a node with both engines.
func TestChaindata(t *testing.T) {
	dir, err := unpackedChaindata()
	if err != nil {
		t.Skip(err)
	}
	truth, err := readChainTruth()
	require.NoError(t, err)
	truth.requireFiles(t, dir)
	withEachEngine(t, dir, func(t *testing.T, d *database.Database) {
		requireChainShape(t, d.Store, truth)
		requireChainKeys(t, d.Store)
	})
	truth.requireFiles(t, dir)
}

func requireChainShape(t *testing.T, s engine.Store, truth chainTruth) {
	t.Helper()
	info := s.Info()
	if info.WALKeys != truth.walKeys() || info.WALKeys == 0 || info.Format != truth.Format {
		t.Errorf("%d keys in the write-ahead log, format %d; want %d and %d", info.WALKeys, info.Format, truth.walKeys(), truth.Format)
	}
	var got, want []string
	for _, l := range s.Shape().Levels {
		got = append(got, fmt.Sprintf("L%d: %d tables, %d bytes", l.Level, l.Tables, l.Bytes))
	}
	for _, l := range truth.Levels {
		if l.Tables > 0 {
			want = append(want, fmt.Sprintf("L%d: %d tables, %d bytes", l.Level, l.Tables, l.Bytes))
		}
	}
	assert.Equal(t, strings.Join(want, "; "), strings.Join(got, "; "), "shape is %v, want %v", got, want)
}

func requireChainKeys(t *testing.T, s engine.Store) {
	t.Helper()
	keys, err := chainKeys()
	require.NoError(t, err)
	db, err := s.Open(engine.OpenConfig{CacheBytes: 16 << 20})
	require.NoError(t, err)
	defer db.Close()
	var present, absent int
	var value []byte
	for _, k := range keys {
		got, found, err := db.Get(k.key, value)
		if err != nil || found != k.present {
			t.Fatalf("key %x: found %v, error %v; want %v", k.key, found, err, k.present)
		}
		if !found {
			absent++
			continue
		}
		present++
		value = got
		sum := sha256.Sum256(value)
		if len(value) != k.valueSize || hex.EncodeToString(sum[:8]) != k.valueHash {
			t.Fatalf("key %x: a value of %d bytes with hash %x, want %d and %s", k.key, len(value), sum[:8], k.valueSize, k.valueHash)
		}
	}
	if present != 2000 || absent != 200 {
		t.Errorf("%d existing and %d absent keys were looked up", present, absent)
	}
}

// withEachEngine opens a database of Pebble's with one of its engines after another.
// Others refuse it.
func withEachEngine(t *testing.T, dir string, do func(*testing.T, *database.Database)) {
	for _, name := range engines.All().Names() {
		t.Run(name, func(t *testing.T) {
			d, err := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{Engine: name})
			if !strings.HasPrefix(name, "pebble") {
				if err == nil {
					d.Close()
					t.Error("it was opened")
				}
				return
			}
			require.NoError(t, err)
			defer d.Close()
			do(t, d)
		})
	}
}
