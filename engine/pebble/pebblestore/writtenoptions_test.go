package pebblestore_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	pebble1 "github.com/cockroachdb/pebble"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/pebble/pebbledb"
)

// TestEveryWrittenOptionIsKnown: getio knows what each option that the libraries write does to reads, and says so where
// a client with it may read otherwise.
func TestEveryWrittenOptionIsKnown(t *testing.T) {
	v1 := (&pebble1.Options{}).EnsureDefaults()
	v1.Experimental.LevelMultiplier = 7
	v1.Experimental.DisableIngestAsFlushable = func() bool { return true }
	v2 := &pebble.Options{WALFailover: &pebble.WALFailoverOptions{Secondary: wal.Dir{FS: vfs.Default, Dirname: "second"}}}
	v2.EnsureDefaults()
	v2.Experimental.LevelMultiplier = 7
	v2.Experimental.DisableIngestAsFlushable = func() bool { return true }
	v2.Experimental.EnableColumnarBlocks = func() bool { return true }
	v2.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{Enabled: true, MinimumSize: 1, MaxBlobReferenceDepth: 1, RewriteMinimumAge: time.Hour}
	}
	for name, text := range map[string]string{"v1": v1.String(), "v2": v2.String()} {
		assert.Greater(t, len(regexp.MustCompile(`(?m)^ *\w+=`).FindAllString(text, -1)), 40, name)
		assert.Empty(t, unlike(t, text), name)
	}
	other := regexp.MustCompile(`filter_policy=.*`).ReplaceAllString(v1.String(), "filter_policy=a.Ribbon")
	other = regexp.MustCompile(`secondary_cache_size_bytes=.*`).ReplaceAllString(other, "secondary_cache_size_bytes=9\n  read_twice=1")
	said := unlike(t, other)
	assert.Contains(t, said, `with filter_policy=a.Ribbon (Level "0"), the client may read filters that getio does not`)
	assert.Contains(t, said, "with secondary_cache_size_bytes=9, the client has a second cache")
	assert.Contains(t, said, "read_twice=1 is not known to getio")
}

func unlike(t *testing.T, options string) []string {
	t.Helper()
	const file = "OPTIONS-000001"
	d := &pebbledb.Directory{Path: t.TempDir(), Options: file}
	require.NoError(t, os.WriteFile(filepath.Join(d.Path, file), []byte(options), 0o666))
	info, err := d.Info("pebble", "")
	require.NoError(t, err)
	return info.Unlike
}
