package pebblev2

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Unwrap implements vfs.FS.
func (fs *readFS) Unwrap() vfs.FS { return fs.FS }

// Unwrap implements vfs.FS.
func (fs *writeFS) Unwrap() vfs.FS { return fs.FS }

type fileInfo = vfs.FileInfo

// Stat implements vfs.File.
func (f virtualFile) Stat() (fileInfo, error) {
	fi, err := f.Description()
	return noDevice{fi}, err
}

// noDevice describes a file on an unknown device.
type noDevice struct{ os.FileInfo }

// DeviceID implements vfs.FileInfo.
func (noDevice) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
