package database

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"getio/engine/lsm"
	"getio/record"
	"getio/workload"
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

// Matches reports whether a result describes this database as it is now: the same keys and values in a tree of the same
// shape. from is where the keys of the Gets come from. What a result does not state is not compared, since older
// versions of getio stated less.
//
// A database that getio did not make has no seed, and one that replaced it may have the same shape. So none of its
// tables may have been written after the run.
func (d *Database) Matches(r *record.Result, from workload.Keys) bool {
	var now record.Dataset
	d.describeDataset(&now, from)
	had, info, total := r.Dataset, d.Store.Info(), d.Store.Shape().Total()
	if had.Path != now.Path || had.Keyspace != now.Keyspace ||
		had.WALKeys != info.WALKeys || had.Bytes != total.Bytes || had.Records != total.Records ||
		!unstatedOr(had.Kind, now.Kind) || !sameContents(had, now) || !sameTree(r.Shape, d.Store.Shape()) {
		return false
	}
	return d.Manifest != nil || d.copied != nil || r.Time.IsZero() || !d.newestTable().Truncate(time.Second).After(r.Time)
}

// unstatedOr reports whether a field of a record is absent or has the value that it should have.
func unstatedOr[T comparable](had, want T) bool {
	var unstated T
	return had == unstated || had == want
}

// sameContents reports whether getio wrote the same keys and values. Every version that stated the number of keys also
// stated the seed, which is absent if it is 0.
func sameContents(had, now record.Dataset) bool {
	if had.Keys == 0 {
		return true
	}
	return had.Keys == now.Keys && had.Seed == now.Seed && unstatedOr(had.Values, now.Values)
}

// sameTree reports whether two shapes have the same levels and blob files. had is from a record.
func sameTree(had, now *lsm.Shape) bool {
	if had == nil {
		return true
	}
	return slices.EqualFunc(had.Levels, now.Levels, sameLevel) &&
		unstatedOr(had.BlobFiles, now.BlobFiles) && unstatedOr(had.BlobBytes, now.BlobBytes)
}

func sameLevel(had, now lsm.Level) bool {
	return had.Level == now.Level && had.Tables == now.Tables && had.Bytes == now.Bytes && unstatedOr(had.Records, now.Records)
}

// newestTable returns when the last of the tables was written; the zero Time if their files are elsewhere.
func (d *Database) newestTable() time.Time {
	if !d.newest.IsZero() {
		return d.newest
	}
	paths, err := tablePaths(d.Store.Info().Dir)
	if err != nil {
		return d.newest
	}
	for _, level := range d.Store.Shape().Levels {
		for _, t := range level.TableList {
			if fi, err := os.Stat(paths[t.File]); err == nil && fi.ModTime().After(d.newest) {
				d.newest = fi.ModTime()
			}
		}
	}
	return d.newest
}
