// Package truthtest builds a program that uses RocksDB without getio, for tests: it writes databases and
// prints what RocksDB and the kernel count of its Gets (testdata/truth.cc).
package truthtest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/truth.cc
var source string

// path is the program, once it is built.
var path = filepath.Join(os.TempDir(), fmt.Sprintf("getio-truth-%d", os.Getpid()))

var build = sync.OnceValue(func() error {
	args := append(strings.Fields(os.Getenv("CGO_CXXFLAGS")), "-std=c++20", "-O2", "-o", path, "-x", "c++", "-")
	args = append(append(args, strings.Fields(os.Getenv("CGO_LDFLAGS"))...), "-lrocksdb")
	cmd := exec.Command("c++", args...)
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// Run runs the program and returns what it prints.
func Run(in string, args ...string) (string, error) {
	if err := build(); err != nil {
		return "", err
	}
	var stderr strings.Builder
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("truth %v: %w: %s", args, err, stderr.String())
	}
	return string(out), nil
}

// Ask is like Run, but fails the test on an error.
func Ask(t testing.TB, in string, args ...string) string {
	t.Helper()
	out, err := Run(in, args...)
	require.NoError(t, err)
	return out
}

// Family returns one line of input for the program: a column family's name and options.
func Family(name, options string) string { return fmt.Sprintf("%X %s\n", name, options) }

// Besu holds the options with which Besu writes the column family of its blocks; longer values go to
// blob files (RocksDBColumnarKeyValueStorage).
const Besu = "compression=kLZ4Compression;ttl=0;enable_blob_files=true;min_blob_size=100;blob_compression_type=kLZ4Compression;" +
	"block_based_table_factory={format_version=5;filter_policy=bloomfilter:10:false;block_size=32768;}"

// Remove deletes the program. Call it at the end of TestMain.
func Remove() { os.Remove(path) }
