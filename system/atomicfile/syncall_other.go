//go:build !linux

package atomicfile

// SyncAll makes durable what is in a directory, file by file.
func SyncAll(dir string) error { return SyncTree(dir) }
