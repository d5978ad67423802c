package pebbledb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/record"
)

// ManifestTorn reports whether the MANIFEST ends in a record that is damaged or incomplete. Pebble ignores
// it and all that follow (version_set.go, load).
func (d *Directory) ManifestTorn() (bool, error) {
	f, err := os.Open(filepath.Join(d.Path, d.Manifest))
	if err != nil {
		return false, fmt.Errorf("cannot read the MANIFEST: %w", err)
	}
	defer f.Close()
	for records := record.NewReader(f, 0); ; {
		r, err := records.Next()
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case record.IsInvalidRecord(err):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("cannot read the MANIFEST: %w", err)
		}
	}
}
