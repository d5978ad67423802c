package pebblev1

import "os"

// Stat implements vfs.File.
func (f virtualFile) Stat() (os.FileInfo, error) { return f.Description() }
