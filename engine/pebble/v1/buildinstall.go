// Code generated from v2/buildinstall.go by engine/pebble/generate. DO NOT EDIT.

package pebblev1

import (
	"bytes"
	"io"

	"github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/record"
	"github.com/cockroachdb/pebble/vfs"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/engine/pebble/pebbledb"
)

// TablePath implements engine.Builder.
func (pebbleEngine) TablePath(dir string, file uint64) string { return pebbledb.TablePath(dir, file) }

// FirstTable implements engine.Builder.
func (pebbleEngine) FirstTable() uint64 { return pebbledb.FirstTable }

// Install implements engine.Builder.
func (e pebbleEngine) Install(dir string, cfg engine.Config, tables []engine.BuiltTable) error {
	if _, err := e.TableOptions(cfg); err != nil {
		return err
	}
	return pebbledb.Installer{
		Create: func() (pebbledb.NewFiles, error) { return newFiles(cfg.(*pebbledb.Config)) },
		Extend: extendManifest,
	}.Install(dir, tables)
}

// newFiles returns the files of a new database, created in memory.
func newFiles(c *pebbledb.Config) (pebbledb.NewFiles, error) {
	const dir = "new"
	log, mem := pebbledb.NewLogger(), vfs.NewMem()
	o := writeOptions(c, log)
	o.FS = mem
	db, err := loading.UnlessFailed(log.Failures, func() (*pebble.DB, error) {
		defer o.Cache.Unref() // the database holds its own reference
		return pebble.Open(dir, o)
	})
	if err != nil {
		return nil, failure.Open("Pebble", "a new database in memory", err)
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	names, err := mem.List(dir)
	if err != nil {
		return nil, err
	}
	files := pebbledb.NewFiles{}
	for _, name := range names {
		if files[name], err = readAll(mem, mem.PathJoin(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func readAll(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// extendManifest returns a copy of the MANIFEST with the edit appended.
func extendManifest(manifest, edit []byte) ([]byte, error) {
	var extended bytes.Buffer
	w := record.NewWriter(&extended)
	for r := record.NewReader(bytes.NewReader(manifest), 0); ; {
		next, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		old, err := io.ReadAll(next)
		if err != nil {
			return nil, err
		}
		if _, err := w.WriteRecord(old); err != nil {
			return nil, err
		}
	}
	if _, err := w.WriteRecord(edit); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return extended.Bytes(), nil
}
