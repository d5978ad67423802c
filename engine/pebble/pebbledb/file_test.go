package pebbledb

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
)

// tableFile has what ReadBackFile uses of a file.
type tableFile struct {
	File[os.FileInfo]
	file *os.File
}

func (f tableFile) ReadAt(p []byte, off int64) (int, error) { return f.file.ReadAt(p, off) }
func (f tableFile) Stat() (os.FileInfo, error)              { return f.file.Stat() }

// TestReadBackHalts requires that neither a block with a wrong checksum nor an early end reaches the library.
func TestReadBackHalts(t *testing.T) {
	block := blockformat.AppendTrailer([]byte("a block"), 0, blockformat.Plain)
	footer := bytes.Repeat([]byte{7}, blockformat.RocksDBFooterLen)
	whole := append(bytes.Clone(block), footer...)
	damaged := bytes.Clone(whole)
	damaged[3] ^= 1
	path := filepath.Join(t.TempDir(), "000001.sst")
	open := func(t *testing.T, contents []byte) (File[os.FileInfo], *Logger) {
		require.NoError(t, os.WriteFile(path, contents, 0o600))
		file, err := os.Open(path)
		require.NoError(t, err)
		t.Cleanup(func() { file.Close() })
		log := NewLogger()
		f, err := ReadBack(path, File[os.FileInfo](tableFile{file: file}), log)
		require.NoError(t, err)
		return f, log
	}
	f, _ := open(t, whole)
	p := make([]byte, len(block))
	_, err := f.ReadAt(p, 0)
	require.NoError(t, err)
	assert.Equal(t, block, p)
	_, err = f.ReadAt(make([]byte, len(footer)), int64(len(block)))
	require.NoError(t, err, "the footer has no checksum")

	for name, c := range map[string]struct {
		contents []byte
		n        int
		want     string
	}{
		"checksum":  {damaged, len(block), "table " + path + " has a block with a wrong checksum: check the disk"},
		"early end": {whole, len(whole) + 1, "table " + path + " ends early: check the disk"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				// synctest panics at the end because the goroutine is blocked.
				assert.Contains(t, fmt.Sprint(recover()), "blocked")
			}()
			synctest.Test(t, func(t *testing.T) {
				f, log := open(t, c.contents)
				go f.ReadAt(make([]byte, c.n), 0)
				synctest.Wait()
				select {
				case err := <-log.Failed():
					assert.EqualError(t, err, c.want)
				default:
					t.Error("the read did not fail")
				}
			})
		})
	}
}
