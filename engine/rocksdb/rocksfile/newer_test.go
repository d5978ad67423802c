package rocksfile

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/blockformat"
	"getio/engine/catalog"
)

// The footer of a table of format 6 has a checksum of its own, which detects a change of any byte and
// a footer that moved.
func TestFootersWithChecksums(t *testing.T) {
	for _, name := range []string{"format6-zstd.sst", "format6-nochecksum.sst", "format7-lz4.sst"} {
		whole, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		size := int64(len(whole))
		f, err := readFooter(bytes.NewReader(whole), size)
		require.NoError(t, err)
		require.GreaterOrEqual(t, f.format, uint32(contextFormat))
		_, err = decodeFooter(whole[size-f.len:], size+1)
		assert.ErrorIs(t, err, ErrChecksum, "%s: a footer that moved", name)
		if f.checksum == checksumNone {
			continue
		}
		for at := size - f.len; at < size; at++ {
			b := bytes.Clone(whole)
			b[at] ^= 0x10
			_, err := readFooter(bytes.NewReader(b), size)
			assert.Error(t, err, "%s: byte %d changed and was not noticed", name, at)
		}
	}
}

// Errors for tables of format 6 that hold what getio does not know, with checksums that match.
func TestNewerTablesThatCannotBeRead(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "format6-snappy.sst"))
	require.NoError(t, err)
	f, err := readFooter(bytes.NewReader(whole), int64(len(whole)))
	require.NoError(t, err)
	for want, change := range map[string]func(table, footer []byte){
		"its footer is malformed":                     func(_, b []byte) { b[footerMagicAt]++ },
		"no context of the checksums":                 func(_, b []byte) { clear(b[footerContextAt:footerMetaAt]) },
		"its footer demands a feature of a newer":     func(_, b []byte) { b[footerFeaturesAt] = 1 },
		"its footer points past its end":              func(_, b []byte) { b[footerMetaAt+3] = 1 },
		"its metaindex names no index":                func(b, _ []byte) { renameIndex(b, f) },
		"its footer does not match its checksum":      func(_, b []byte) { b[footerChecksumAt] -= 2 },
		"block at byte 0 does not match its checksum": func(b, _ []byte) { b[3]++ },
	} {
		b := bytes.Clone(whole)
		footer := b[int64(len(b))-f.len:]
		change(b, footer)
		seal(footer, f, int64(len(b))-f.len, want)
		path := filepath.Join(t.TempDir(), "000007.sst")
		require.NoError(t, os.WriteFile(path, b, 0o600))
		table, err := readTable(catalog.Ref{File: 7, Path: path, Size: int64(len(b))})
		if err == nil {
			err = everyRecord(table)
		}
		assert.ErrorContains(t, err, want)
	}
}

// seal puts the checksum of a footer in it, which begins at off.
func seal(b []byte, f footer, off int64, want string) {
	sum := f.checksum.ofFooter(b) + checksumContext(binary.LittleEndian.Uint32(b[footerContextAt:])).at(off)
	if want == "its footer does not match its checksum" {
		sum--
	}
	binary.LittleEndian.PutUint32(b[footerChecksumAt:], sum)
}

// renameIndex changes the name of the index in the metaindex.
func renameIndex(table []byte, f footer) {
	off := int64(f.meta.Off)
	stored := table[off:f.meta.End()]
	at := bytes.Index(stored, []byte(metaIndex))
	stored[at+len(metaIndex)-1]++
	end := len(stored) - blockformat.ChecksumLen
	binary.LittleEndian.PutUint32(stored[end:], f.checksum.of(stored[:end])+f.context.at(off))
}

// everyRecord reads all data blocks of a table.
func everyRecord(t *table) error {
	file, err := t.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	index, err := t.ReadIndex(file, true)
	if err != nil {
		return err
	}
	o := &openTable{t, file, index}
	for n := range o.index.Len() {
		if err := o.records(n, func([]byte, catalog.Does) {}); err != nil {
			return err
		}
	}
	return nil
}

// The properties say what getio cannot decode.
func TestPropertiesVerify(t *testing.T) {
	for _, c := range []struct {
		format uint32
		props  properties
		want   string
	}{
		{7, properties{compression: "BuiltinV2;0107;"}, ""},
		{7, properties{compression: ";;"}, ""},
		{7, properties{}, ""},
		{6, properties{compression: "Snappy"}, ""},
		{7, properties{compression: "Snappy"}, "do not say what compressed it"},
		{7, properties{compression: "Acme;80;"}, `"Acme" compressed it, which is not part of RocksDB`},
		{7, properties{compression: "BuiltinV2;01;", separateValues: 1}, "its data blocks hold values apart from keys"},
	} {
		err := c.props.verify(c.format)
		if c.want == "" {
			assert.NoError(t, err, "%+v", c)
		} else {
			assert.ErrorContains(t, err, c.want, "%+v", c)
		}
	}
	const name = "rocksdb.separate.key.value.in.data.block"
	block := blockformat.AppendRestarts(append([]byte{0, byte(len(name)), 1}, name+"\x01"...), []uint32{0})
	p, err := decodeProperties(block)
	require.NoError(t, err)
	assert.EqualValues(t, 1, p.separateValues)
}
