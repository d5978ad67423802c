package database

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"getio/engine/lsm"
)

// Identity returns a checksum that tells a database from any other, wherever it lies: of the manifest, if
// getio made it, and of the level, number, size and last bytes of each table. Two loads of the same
// keys differ, since their trees do.
func (d *Database) Identity() (string, error) {
	h := sha256.New()
	if d.Manifest != nil {
		fmt.Fprintln(h, d.Manifest.Checksum())
	}
	info := d.Store.Info()
	fmt.Fprintln(h, "log", info.WALKeys, info.WALBytes)
	paths, err := tablePaths(info.Dir)
	if err != nil {
		return "", err
	}
	for _, level := range d.Store.Shape().Levels {
		for _, t := range level.TableList {
			path, there := paths[t.File]
			if !there {
				return "", fmt.Errorf("table %d of %s is not a file in it, so the database cannot be identified: copy all its tables into one directory", t.File, info.Dir)
			}
			if err := hashTable(h, level.Level, t, path); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// tablePaths returns the table files of a database by number.
func tablePaths(dir string) (map[uint64]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	paths := map[uint64]string{}
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if ext != ".sst" && ext != ".ldb" {
			continue
		}
		if n, err := strconv.ParseUint(strings.TrimSuffix(e.Name(), ext), 10, 64); err == nil {
			paths[n] = filepath.Join(dir, e.Name())
		}
	}
	return paths, nil
}

// tailBytes are the bytes at a table's end that identify it: its footer, and its properties or the end of
// its index.
const tailBytes = 4 << 10

func hashTable(h hash.Hash, level int, t lsm.Table, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintln(h, "table", level, t.Sublevel, t.File, fi.Size())
	from := max(fi.Size()-tailBytes, 0)
	_, err = io.Copy(h, io.NewSectionReader(f, from, fi.Size()-from))
	return err
}
