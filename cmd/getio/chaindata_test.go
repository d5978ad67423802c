package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
)

// chaindataSource finds the directory with the genuine chaindata of a node:
// where GETIO_CHAINDATA says, or beside the repository.
func chaindataSource() (string, error) {
	dir := os.Getenv("GETIO_CHAINDATA")
	if dir == "" {
		root, err := moduleRoot()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "chaindata-path.tar.zst")); err != nil {
		return "", fmt.Errorf("no chaindata-path.tar.zst in %s: set GETIO_CHAINDATA", dir)
	}
	return dir, nil
}

func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("no go.mod above the working directory")
		}
	}
	return "", err
}

// unpackedChaindata unpacks the chaindata once for all tests of a run, with
// permissions to read only: they must not change it.
func unpackedChaindata() (string, error) {
	source, err := chaindataSource()
	if err != nil {
		return "", err
	}
	dir, err := sharedDir("chaindata", func(dir string) error {
		if err := unpack(filepath.Join(source, "chaindata-path.tar.zst"), dir); err != nil {
			return err
		}
		return chmodAll(dir, 0o555, 0o444)
	})
	return filepath.Join(dir, "A", "chaindata"), err
}

// chmodAll sets the permissions of all directories and files below dir.
func chmodAll(dir string, ofDirs, ofFiles fs.FileMode) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, ofDirs)
		}
		return os.Chmod(path, ofFiles)
	})
}

// unpack unpacks a tar archive, sparse files included: archive/tar reads their holes as zeros.
func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		return err
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := unpackOne(r, h, dir); err != nil {
			return err
		}
	}
}

func unpackOne(r io.Reader, h *tar.Header, dir string) error {
	if !filepath.IsLocal(strings.TrimSuffix(h.Name, "/")) {
		return fmt.Errorf("the archive names %s", h.Name)
	}
	path := filepath.Join(dir, h.Name)
	switch h.Typeflag {
	case tar.TypeDir:
		return os.MkdirAll(path, 0o755)
	case tar.TypeReg, tar.TypeGNUSparse:
	default:
		return fmt.Errorf("%s is of type %c", h.Name, h.Typeflag)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

func scriptChaindata(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := unpackedChaindata()
	ts.Check(err)
	ts.Check(os.Symlink(dir, ts.MkAbs(args[0])))
}

// scriptChainKeys writes the keys that are known to exist as a file of keys.
func scriptChainKeys(ts *testscript.TestScript, _ bool, args []string) {
	keys, err := chainKeys()
	ts.Check(err)
	var text bytes.Buffer
	for _, k := range keys {
		if k.present {
			fmt.Fprintf(&text, "%x\n", k.key)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text.Bytes(), 0o644))
}

// scriptChainLog writes every twentieth key of the genuine chaindata with an engine, and
// leaves all of them in the write-ahead log.
func scriptChainLog(ts *testscript.TestScript, _ bool, args []string) {
	source, err := unpackedChaindata()
	ts.Check(err)
	d, err := database.Open(context.Background(), engines.All(), source, database.OpenOptions{})
	ts.Check(err)
	defer d.Close()
	from, err := d.Store.Open(engine.OpenConfig{CacheBytes: 32 << 20})
	ts.Check(err)
	defer from.Close()
	to, err := engines.All().ByName(args[1])
	ts.Check(err)
	cfg, err := to.Configure("", nil)
	ts.Check(err)
	loader, err := to.Create(ts.MkAbs(args[0]), cfg)
	ts.Check(err)
	n := 0
	ts.Check(from.(engine.Ordered).Scan(nil, nil, func(key, value []byte) error {
		if n++; n%20 > 0 {
			return nil
		}
		return loader.Set(key, value)
	}))
	ts.Check(loader.Sync())
	ts.Check(loader.Close())
}
