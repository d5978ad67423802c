package pebblev1

import "os"

type fileInfo = os.FileInfo

// Stat implements vfs.File.
func (f virtualFile) Stat() (fileInfo, error) { return f.Description() }
