package pebblev1

import "os"

type fileInfo = os.FileInfo

func (f virtualFile) Stat() (fileInfo, error) { return f.Description() }
