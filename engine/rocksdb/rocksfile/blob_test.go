package rocksfile

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/region"
)

func TestIsBlobRecord(t *testing.T) {
	record := make([]byte, BlobRecordHeaderLen+32+1000)
	binary.LittleEndian.PutUint64(record, 32)
	binary.LittleEndian.PutUint64(record[8:], 1000)
	assert.True(t, IsBlobRecord(record))
	assert.False(t, IsBlobRecord(record[:len(record)-1]), "a part of a record")
	assert.False(t, IsBlobRecord(append(record, 0)), "more than a record")
	assert.False(t, IsBlobRecord(record[BlobRecordHeaderLen:]), "the key and the value alone")
	assert.False(t, IsBlobRecord(record[:BlobRecordHeaderLen-1]), "a part of a header")
	binary.LittleEndian.PutUint64(record, 1<<63)
	assert.False(t, IsBlobRecord(record), "a key longer than the record")
	assert.True(t, IsBlobRecord(make([]byte, BlobRecordHeaderLen)), "an empty key and value")
}

func TestBlobRegions(t *testing.T) {
	want := &region.Map{Size: 547, BlobHeader: region.Extent{End: 30}, Blobs: region.Extent{Off: 30, End: 515}}
	assert.Equal(t, want, BlobFile{Size: 547}.regions())
}

func TestBlobsVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "000010.blob")
	blobs := Blobs{{File: 10, Path: path, Size: 5}}
	assert.EqualError(t, blobs.verify(), "blob file 000010.blob is missing")
	require.NoError(t, os.WriteFile(path, []byte("four"), 0o600))
	assert.EqualError(t, blobs.verify(), "blob file 000010.blob has 4 bytes, but the MANIFEST says 5")
	require.NoError(t, os.WriteFile(path, []byte("fives"), 0o600))
	assert.NoError(t, blobs.verify())
	assert.EqualValues(t, 5, blobs.bytes())
}
