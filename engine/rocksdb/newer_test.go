//go:build rocksdb

package rocksdb

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/rocksdb/rocksfile"
	"getio/internal/enginetest"
)

// newer is a database that RocksDB 10.4.2 wrote, with tables of format 7. To write it anew, with
// RocksDB 10.4 or newer:
//
//	go test -tags rocksdb ./engine/rocksdb -run TestNewerTables -write-newer
const newer = "testdata/newer"

var writeNewer = flag.Bool("write-newer", false, "write "+newer+" anew")

const newerKeys = 80

// newerFamilies are the families of the database: those of Nethermind's state and of Besu.
var newerFamilies = map[string]string{"nethermind state": clientFamilies["nethermind state"], "\x0a": clientFamilies["\x0a"]}

// newerCopy is a copy of the database, for locks are files beside it.
func newerCopy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.CopyFS(dir, os.DirFS(newer)))
	return dir
}

// TestNewerTables: the database is read where the library reads its tables.
func TestNewerTables(t *testing.T) {
	if newestFormat < rocksfile.NewestFormat {
		t.Skipf("RocksDB %s does not read tables of format %d", libraryVersion(), rocksfile.NewestFormat)
	}
	if *writeNewer {
		rewriteNewer(t)
	}
	dir := newerCopy(t)
	enginetest.RequireUnchanged(t, dir, func() {
		for name := range newerFamilies {
			s := storeOf(t, dir, "column_family="+familyText(name))
			assert.Equal(t, map[string]int{"RocksDB 7": int(s.Shape().Total().Tables)}, s.Info().TableFormats)
			assert.EqualValues(t, newerKeys, s.Shape().Total().Records)
			requireBlocks(t, s)
			requireFound(t, s, drawn(t, s, newerKeys))
		}
	})
}

// rewriteNewer writes the database without what reading it does not need.
func rewriteNewer(t *testing.T) {
	require.NoError(t, os.RemoveAll(newer))
	clientDatabase(t, newer, newerFamilies, rocksfile.NewestFormat, newerKeys)
	options, err := filepath.Glob(filepath.Join(newer, "OPTIONS-*"))
	require.NoError(t, err)
	for _, path := range append(options[:len(options)-1], filepath.Join(newer, "LOG"), filepath.Join(newer, "LOCK")) {
		require.NoError(t, os.Remove(path))
	}
}

// TestNewerTablesAreRefused: where the library does not read the tables, one sentence says which does.
func TestNewerTablesAreRefused(t *testing.T) {
	if newestFormat >= rocksfile.NewestFormat {
		t.Skipf("RocksDB %s reads tables of format %d", libraryVersion(), rocksfile.NewestFormat)
	}
	dir := newerCopy(t)
	enginetest.RequireUnchanged(t, dir, func() {
		for _, option := range []string{"column_family=nethermind state", "column_family=0x0a"} {
			_, err := Engine.OpenStore(context.Background(), dir, configured(t, "", option))
			assert.EqualError(t, err, dir+" has tables of format 7, which the RocksDB "+libraryVersion()+
				" of this getio cannot read: build getio with RocksDB 10.4 or newer, which 'make rocksdb-static' builds (docs/install.md)")
		}
		_, err := Engine.Recognise(dir)
		assert.ErrorContains(t, err, dir+" has tables of format 7, which the RocksDB")
	})
	_, err := Engine.Configure("", []string{"format_version=7"})
	assert.ErrorContains(t, err, "of this getio writes no tables of format 7: build getio with RocksDB 10.4 or newer")
}

// TestOlderTablesBesideNewer: a database is recognised if the library reads at least one of its tables,
// but the column family that it does not read is refused.
func TestOlderTablesBesideNewer(t *testing.T) {
	if newestFormat >= rocksfile.NewestFormat {
		t.Skipf("RocksDB %s reads tables of format %d", libraryVersion(), rocksfile.NewestFormat)
	}
	dir := newerCopy(t)
	older, err := os.ReadFile("rocksfile/testdata/format5-zstd.sst")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "000099.sst"), older, 0o600))
	_, err = Engine.Recognise(dir)
	require.NoError(t, err)
	_, err = Engine.OpenStore(context.Background(), dir, configured(t, "", "column_family=0x0a"))
	assert.ErrorContains(t, err, "has tables of format 7, which the RocksDB")
}

// TestOlderTablesAreRefused: where the library no longer reads the tables, one sentence says which does.
func TestOlderTablesAreRefused(t *testing.T) {
	if oldestFormat == 0 {
		t.Skipf("RocksDB %s reads tables of all formats", libraryVersion())
	}
	dir := newerCopy(t)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	require.NoError(t, err)
	older, err := os.ReadFile("rocksfile/testdata/format0.sst")
	require.NoError(t, err)
	for _, path := range tables {
		require.NoError(t, os.WriteFile(path, older, 0o600))
	}
	_, err = Engine.Recognise(dir)
	assert.EqualError(t, err, dir+" has tables of format 0, which the RocksDB "+libraryVersion()+
		" of this getio cannot read: build getio with a RocksDB before 11 (docs/install.md)")
}
