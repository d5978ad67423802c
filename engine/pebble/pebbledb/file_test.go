package pebbledb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/loading"
	"getio/tree/blockformat"
)

// tableFile has what ReadBackFile uses of a file.
type tableFile struct {
	File[os.FileInfo]
	file *os.File
}

func (f tableFile) ReadAt(p []byte, off int64) (int, error) { return f.file.ReadAt(p, off) }
func (f tableFile) Stat() (os.FileInfo, error)              { return f.file.Stat() }

// TestReadBackHalts requires that a block with a wrong checksum does not reach the library.
func TestReadBackHalts(t *testing.T) {
	block := blockformat.AppendTrailer([]byte("a block"), 0, blockformat.Plain)
	footer := bytes.Repeat([]byte{7}, blockformat.RocksDBFooterLen)
	path := filepath.Join(t.TempDir(), "000001.sst")
	read := func(log *Logger, contents []byte, off, n int) []byte {
		require.NoError(t, os.WriteFile(path, contents, 0o600))
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		f, err := ReadBack(File[os.FileInfo](tableFile{file: file}), log)
		require.NoError(t, err)
		p := make([]byte, n)
		_, err = f.ReadAt(p, int64(off))
		require.NoError(t, err)
		return p
	}
	whole := append(bytes.Clone(block), footer...)
	assert.Equal(t, block, read(NewLogger(), whole, 0, len(block)))
	assert.Equal(t, footer, read(NewLogger(), whole, len(block), len(footer)), "the footer has no checksum")

	defer func() {
		// synctest panics at the end because the goroutine is blocked.
		assert.NotNil(t, recover(), "the read returned")
	}()
	synctest.Test(t, func(t *testing.T) {
		log := NewLogger()
		damaged := bytes.Clone(whole)
		damaged[3] ^= 1
		go read(log, damaged, 0, len(block))
		synctest.Wait()
		select {
		case err := <-log.Failed():
			assert.ErrorIs(t, err, loading.ErrChecksum)
		default:
			t.Error("the read did not fail")
		}
	})
}
