package keysource

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/system/filesystem"
	"getio/workload"
	"getio/workload/dataset"
)

// FromFile returns Gets of the keys in the keys file: one per line in hexadecimal, with or without 0x.
// Empty lines and lines that begin with # are skipped. If the database does not hold a key, the
// error names its line.
func FromFile(s engine.Store, r workload.Keys) (Sequence, error) {
	l, err := readKeys(r.KeysFile)
	if err != nil {
		return nil, err
	}
	return newDrawn(l, r, lookups(s))
}

// A keys file is kept in memory. These limits keep a wrong file from taking more than half a gigabyte.
const (
	mostListed      = 16 << 20  // keys
	mostListedBytes = 256 << 20 // of all keys
)

func readKeys(path string) (l *listed, err error) {
	f, err := filesystem.OpenRegular(path) // it is read twice: for its keys and for its hash
	if err != nil {
		return nil, fmt.Errorf("the keys file cannot be read (%w): choose a file with one key in hexadecimal per line", err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() > workload.MostKeysFile {
		return nil, fmt.Errorf("%s has %s, and a list of keys at most %s: list fewer, which a sample of its lines may do", path, humanize.IBytes(uint64(fi.Size())), humanize.IBytes(workload.MostKeysFile))
	}
	l = &listed{path: path}
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimPrefix(strings.TrimSpace(scanner.Text()), "0x")
		if line == "" || line[0] == '#' {
			continue
		}
		key, err := hex.DecodeString(line)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %q is not a key in hexadecimal: correct or remove the line", path, n, abbreviate(line))
		}
		l.add(key, n)
		if len(l.ends) > mostListed || len(l.bytes) > mostListedBytes {
			return nil, fmt.Errorf("%s lists more than %d keys or more than %s of them: list fewer, which a sample of its lines may do", path, mostListed, humanize.IBytes(mostListedBytes))
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s cannot be read as a list of keys (%w): write one key in hexadecimal per line", path, err)
	}
	if len(l.ends) == 0 {
		return nil, fmt.Errorf("%s lists no keys: write one key in hexadecimal per line", path)
	}
	return l, nil
}

func abbreviate(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}

// listed draws from the keys of a file.
type listed struct {
	path    string
	bytes   []byte   // of all keys
	ends    []uint32 // of each key, in bytes
	lines   []uint32 // line numbers, by key
	checked bool
}

func (l *listed) add(key []byte, line int) {
	l.bytes = append(l.bytes, key...)
	l.ends = append(l.ends, uint32(len(l.bytes)))
	l.lines = append(l.lines, uint32(line))
}

func (l *listed) key(i uint64) []byte {
	from := uint32(0)
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.bytes[from:l.ends[i]]
}

func (*listed) Close() error { return nil }

// prepare looks up every key once.
func (l *listed) prepare(ctx context.Context, db engine.Lookups) error {
	if l.checked {
		return nil
	}
	for i := range l.ends {
		key := l.key(uint64(i))
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, found, err := lookUp(db, key, nil)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("%s, line %d: key %x is not in the database: remove the line, or choose the database that holds it", l.path, l.lines[i], key)
		}
	}
	l.checked = true
	return nil
}

func (l *listed) draw(_ context.Context, from []choice) ([][]byte, error) {
	keys := make([][]byte, len(from))
	for i, c := range from {
		n := c.number
		if !c.numbered {
			n = dataset.Bounded(c.rand(), uint64(len(l.ends)))
		}
		keys[i] = bytes.Clone(l.key(n))
	}
	return keys, nil
}

func (l *listed) population() (uint64, error) { return uint64(len(l.ends)), nil }
