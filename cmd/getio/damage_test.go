package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"getio/engine/catalog"

	"github.com/rogpeppe/go-internal/testscript"

	"getio/engine/goleveldb/ldbfile"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/engine/rocksdb/rocksfile"
)

// damages by name, each done to the database in a directory.
var damages = map[string]func(dir string) error{
	"missing-table": func(dir string) error { return eachTable(dir, 1, os.Remove) },
	"empty-table": func(dir string) error {
		return eachTable(dir, 1, func(path string) error { return os.Truncate(path, 0) })
	},
	"truncated-table": func(dir string) error {
		return eachTable(dir, 1, func(path string) error {
			fi, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, fi.Size()/2)
		})
	},
	"data-block":   flipIn(func(r *region.Map) region.Extent { return r.Data }),
	"index-block":  flipIn(func(r *region.Map) region.Extent { return r.Index }),
	"top-index":    flipIn(func(r *region.Map) region.Extent { return r.TopIndex }),
	"filter-block": flipIn(func(r *region.Map) region.Extent { return r.Filter }),
	"properties":   flipIn(func(r *region.Map) region.Extent { return r.Properties }),
	"footer": flipIn(func(r *region.Map) region.Extent {
		return region.Extent{Off: r.Size - 8, End: r.Size} // the magic number
	}),
	"missing-manifest": func(dir string) error {
		return each(dir, "MANIFEST-*", os.Remove)
	},
	"garbage-manifest": func(dir string) error {
		return each(dir, "MANIFEST-*", func(path string) error { return os.WriteFile(path, []byte("rubbish rubbish rubbish"), 0o644) })
	},
	"cut-manifest": func(dir string) error {
		return each(dir, "MANIFEST-*", func(path string) error {
			fi, err := os.Stat(path)
			if err != nil {
				return err
			}
			return os.Truncate(path, fi.Size()-1)
		})
	},
	"flipped-manifest": func(dir string) error {
		return each(dir, "MANIFEST-*", func(path string) error { return flip(path, 100) })
	},
	"torn-manifest": func(dir string) error {
		return each(dir, "MANIFEST-*", func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.Write([]byte{1, 2, 3, 4, 50, 0, 1, 8, 9}) // the header of a record of 50 bytes, and two of them
			return errors.Join(err, f.Close())
		})
	},
	"garbage-current": func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("rubbish\n"), 0o644)
	},
	"missing-options": func(dir string) error { return each(dir, "OPTIONS-*", os.Remove) },
	"format-999": func(dir string) error {
		return each(dir, "marker.format-version.*", func(path string) error {
			return os.Rename(path, filepath.Join(dir, "marker.format-version.000999.999"))
		})
	},
	"garbage-format": func(dir string) error {
		return each(dir, "marker.format-version.*", func(path string) error {
			return os.Rename(path, filepath.Join(dir, "marker.format-version.000999.abc"))
		})
	},
}

func scriptDamage(ts *testscript.TestScript, _ bool, args []string) {
	damage := damages[args[0]]
	if damage == nil {
		ts.Fatalf("unknown damage %q", args[0])
	}
	ts.Check(damage(ts.MkAbs(args[1])))
}

// each does something to every file that matches, of which there must be one.
func each(dir, pattern string, do func(path string) error) error {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s has no %s", dir, pattern)
	}
	for _, path := range paths {
		if err := do(path); err != nil {
			return err
		}
	}
	return nil
}

// tablePattern is what the names of a database's tables look like.
func tablePattern(dir string) string {
	if ldb, _ := filepath.Glob(filepath.Join(dir, "*.ldb")); len(ldb) > 0 {
		return "*.ldb"
	}
	return "*.sst"
}

// eachTable does something to the first n tables.
func eachTable(dir string, n int, do func(path string) error) error {
	return each(dir, tablePattern(dir), func(path string) error {
		if n--; n < 0 {
			return nil
		}
		return do(path)
	})
}

// flipIn inverts bytes in the middle of a region of every table that has it, so
// that whichever tables a run reads, it meets the damage.
func flipIn(extent func(*region.Map) region.Extent) func(dir string) error {
	return func(dir string) error {
		return eachTable(dir, 1<<20, func(path string) error {
			regions, err := regionsOf(path)
			if err != nil {
				return err
			}
			e := extent(regions)
			if e.Off == e.End {
				return nil
			}
			return flip(path, (e.Off+e.End)/2)
		})
	}
}

func regionsOf(path string) (*region.Map, error) {
	if filepath.Ext(path) == ".ldb" {
		return regionsOfLevelDB(path)
	}
	// Only RocksDB writes this file.
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "IDENTITY")); err == nil {
		return regionsOfRocksDB(path)
	}
	number, ok := sstfile.FileNumber(path)
	if !ok {
		return nil, fmt.Errorf("%s is no table", path)
	}
	tables, err := sstfile.ReadCatalog(context.Background(), []catalog.Ref{{File: number, Path: path}}, nil)
	if err != nil {
		return nil, err
	}
	return tables.Regions(number), nil
}

func regionsOfLevelDB(path string) (*region.Map, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	tables, err := ldbfile.ReadCatalog(context.Background(), []catalog.Ref{{Path: path, Size: fi.Size()}}, ldbfile.GoFilters)
	if err != nil {
		return nil, err
	}
	return tables.Regions(0), nil
}

func regionsOfRocksDB(path string) (*region.Map, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	tables, err := rocksfile.ReadCatalog(context.Background(), []catalog.Ref{{Path: path, Size: fi.Size()}}, nil, rocksfile.Filtering{WholeKeys: true})
	if err != nil {
		return nil, err
	}
	return tables.Regions(0), nil
}

// flip inverts four bytes.
func flip(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 4)
	_, err = f.ReadAt(b, at)
	for i := range b {
		b[i] ^= 0xff
	}
	if err == nil {
		_, err = f.WriteAt(b, at)
	}
	return errors.Join(err, f.Close())
}
