package workload

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"getio/dataset"
	"getio/engine"
	"getio/system/filesystem"
)

// FromFile returns Gets of the keys in a file: one per line in hexadecimal, with or without 0x.
// Empty lines and lines that begin with # are skipped. If the database does not hold a key, the
// error names its line.
func FromFile(path string, s engine.Store, r Random) (Sequence, error) {
	keys, lines, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	return newDrawn(&listed{path: path, keys: keys, lines: lines}, r, verifier(s))
}

func readKeys(path string) (keys [][]byte, lines []int, err error) {
	f, err := filesystem.OpenRegular(path) // it is read twice: for its keys and for its hash
	if err != nil {
		return nil, nil, fmt.Errorf("the keys file cannot be read (%w): choose a file with one key in hexadecimal per line", err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimPrefix(strings.TrimSpace(scanner.Text()), "0x")
		if line == "" || line[0] == '#' {
			continue
		}
		key, err := hex.DecodeString(line)
		if err != nil {
			return nil, nil, fmt.Errorf("%s, line %d: %q is not a key in hexadecimal: correct or remove the line", path, n, abbreviate(line))
		}
		keys = append(keys, key)
		lines = append(lines, n)
	}
	if err := scanner.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read as a list of keys (%w): write one key in hexadecimal per line", path, err)
	}
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf("%s lists no keys: write one key in hexadecimal per line", path)
	}
	return keys, lines, nil
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
	keys    [][]byte
	lines   []int // line numbers, by key
	checked bool
}

func (*listed) kind() string { return KindKeysFile }
func (*listed) Close() error { return nil }

// prepare looks up every key once.
func (l *listed) prepare(ctx context.Context, db engine.DB) error {
	if l.checked {
		return nil
	}
	for i, key := range l.keys {
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
			n = dataset.Bounded(c.rand(), uint64(len(l.keys)))
		}
		keys[i] = bytes.Clone(l.keys[n])
	}
	return keys, nil
}

func (l *listed) population() (uint64, error) { return uint64(len(l.keys)), nil }
