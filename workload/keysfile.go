package workload

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"getio/dataset"
	"getio/engine"
)

// FromFile returns Gets of the keys listed in a file, one in hexadecimal per
// line (0x in front, empty lines and lines that begin with # are allowed),
// each with the same chance. A key that the database does not hold is an error
// that names its line.
func FromFile(path string, s engine.Store, seed uint64, absent float64) (Gets, error) {
	keys, lines, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	verify, err := s.Open(engine.OpenConfig{CacheBytes: verifyCacheBytes})
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		_, found, err := verify.Get(key, nil)
		if err == nil && !found {
			err = fmt.Errorf("%s, line %d: key %x is not in the database: remove the line, or name the database that holds it", path, lines[i], key)
		}
		if err != nil {
			verify.Close()
			return nil, err
		}
	}
	return newDrawn(listed(keys), verify, seed, absent), nil
}

func readKeys(path string) (keys [][]byte, lines []int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("the keys file cannot be read: %w", err)
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
			return nil, nil, fmt.Errorf("%s, line %d: %q is not a key in hexadecimal", path, n, abbreviate(line))
		}
		keys = append(keys, key)
		lines = append(lines, n)
	}
	if err := scanner.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read as a list of keys: %w", path, err)
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

type listed [][]byte

func (listed) kind() string { return KindKeysFile }
func (listed) Close() error { return nil }

func (l listed) draw(rand func() uint64, buf []byte) ([]byte, error) {
	return append(buf[:0], l[dataset.Bounded(rand(), uint64(len(l)))]...), nil
}
