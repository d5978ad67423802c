package html

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// axe-core (https://github.com/dequelabs/axe-core) checks the accessibility of a page.
// The integrity is that of the npm package.
const (
	axePackage   = "axe-core@4.14.1"
	axeIntegrity = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// axeCore returns the script of axe-core from the npm package, which is fetched once and
// kept in the user's cache directory. It skips the test where npm cannot fetch it.
func axeCore(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no cache directory for %s: %v", axePackage, err)
	}
	kept := filepath.Join(cache, "getio", axePackage+".tgz")
	packed, err := os.ReadFile(kept)
	if err != nil || integrity(packed) != axeIntegrity {
		packed = fetchAxe(t, kept)
	}
	unpack := exec.Command("tar", "-xzO", "package/axe.min.js")
	unpack.Stdin = bytes.NewReader(packed)
	script, err := unpack.Output()
	require.NoError(t, err)
	return string(script)
}

// fetchAxe fetches the package, checks it, and keeps it at a path.
func fetchAxe(t *testing.T, path string) []byte {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Skipf("%s cannot be kept: %v", axePackage, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "fetching-")
	if err != nil {
		t.Skipf("%s cannot be kept: %v", axePackage, err)
	}
	defer os.RemoveAll(dir)
	pack := exec.Command("npm", "pack", axePackage)
	pack.Dir = dir
	if out, err := pack.CombinedOutput(); err != nil {
		t.Skipf("npm cannot fetch %s: %v\n%s", axePackage, err, out)
	}
	fetched, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(fetched) != 1 {
		t.Fatalf("npm pack %s left %v, %v", axePackage, fetched, err)
	}
	packed, err := os.ReadFile(fetched[0])
	require.NoError(t, err)
	require.Equal(t, axeIntegrity, integrity(packed), axePackage)
	require.NoError(t, os.Rename(fetched[0], path))
	return packed
}

func integrity(packed []byte) string {
	sum := sha512.Sum512(packed)
	return base64.StdEncoding.EncodeToString(sum[:])
}
