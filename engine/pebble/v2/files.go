package pebblev2

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func (fs *readFS) Unwrap() vfs.FS { return fs.FS }

func (fs *writeFS) Unwrap() vfs.FS { return fs.FS }

type fileInfo = vfs.FileInfo

func (f virtualFile) Stat() (fileInfo, error) {
	fi, err := f.Description()
	return noDevice{fi}, err
}

// noDevice describes a file on an unknown device.
type noDevice struct{ os.FileInfo }

func (noDevice) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }
