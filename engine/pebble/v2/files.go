package pebblev2

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Unwrap implements vfs.FS.
func (fs *readFS) Unwrap() vfs.FS { return fs.FS }

// Unwrap implements vfs.FS.
func (fs *writeFS) Unwrap() vfs.FS { return fs.FS }

// Stat implements vfs.File.
func (f virtualFile) Stat() (vfs.FileInfo, error) {
	fi, err := f.Description()
	return fileInfo{fi}, err
}

// fileInfo describes a file on an unknown device.
type fileInfo struct{ os.FileInfo }

// DeviceID implements vfs.FileInfo.
func (fileInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
