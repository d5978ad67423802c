package pebbledb

import (
	"path/filepath"

	"getio/engine/ondisk"
)

// WrittenOptions reads the newest OPTIONS file.
func (d *Directory) WrittenOptions() (map[string]string, error) {
	return ondisk.Options(filepath.Join(d.Path, d.Options))
}
