// Package truthtest builds programs that use RocksDB without getio, for tests. One writes databases and
// prints what RocksDB and the kernel count of its Gets (testdata/truth.cc). Another prints the accesses of
// Gets to the block cache (testdata/accesses.cc). A third one is RocksDB for package truth (testdata/trees.cc).
package truthtest

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	//go:embed testdata/truth.cc
	truthSource string
	//go:embed testdata/accesses.cc
	accessesSource string
	//go:embed testdata/trees.cc
	treesSource string
)

var (
	truth    = newProgram("truth", truthSource)
	accesses = newProgram("accesses", accessesSource)
	trees    = newProgram("trees", treesSource)
)

// program is a C++ program that is built on first use.
type program struct {
	name  string
	built func() (path string, err error)
}

func newProgram(name, source string) program {
	return program{name, sync.OnceValues(func() (string, error) { return build(name, source) })}
}

// build returns the path of a program. It builds the program unless an earlier test did. Programs are kept in the
// user's cache directory, under a hash of their source, the compiler's flags and RocksDB's version.
func build(name, source string) (path string, err error) {
	args := append(strings.Fields(os.Getenv("CGO_CXXFLAGS")), "-std=c++20", "-O2", "-x", "c++", "-")
	linked := append(append(slices.Clone(args), strings.Fields(os.Getenv("CGO_LDFLAGS"))...), "-lrocksdb")
	version, err := execute("c++", "#include <rocksdb/version.h>\nROCKSDB_MAJOR ROCKSDB_MINOR ROCKSDB_PATCH\n", append(args, "-E", "-P"))
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "getio-truth")
	from := sha256.Sum256([]byte(strings.Join(append(linked, version, source), "\x00")))
	path = filepath.Join(cache, fmt.Sprintf("%s-%x", name, from[:8]))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	incomplete := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(incomplete)
	if _, err := execute("c++", source, append(linked, "-o", incomplete)); err != nil {
		return "", err
	}
	return path, os.Rename(incomplete, path)
}

func (p program) run(in string, args ...string) (string, error) {
	path, err := p.built()
	if err != nil {
		return "", err
	}
	out, err := execute(path, in, args)
	if err != nil {
		return "", fmt.Errorf("%s %v: %w", p.name, args, err)
	}
	return out, nil
}

func execute(path, in string, args []string) (string, error) {
	var stderr strings.Builder
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, stderr.String())
	}
	return string(out), nil
}

// Trees returns a command that runs trees.
func Trees(args ...string) (*exec.Cmd, error) {
	path, err := trees.built()
	return exec.Command(path, args...), err
}

// Run runs truth and returns what it prints.
func Run(in string, args ...string) (string, error) { return truth.run(in, args...) }

// cannotTrace is the exit code of accesses.cc with a library whose tracing is not public.
const cannotTrace = 77

// Access is an access of a Get to the block cache.
type Access struct {
	File uint64 // of the block
	Kind string // of block: index, filter or data
	Hit  bool
}

// Accesses makes Gets in a database with all tables open. It returns their accesses to a block cache of one
// shard, which is empty at first, and the bytes that tables pin in the cache. With pin, tables pin their
// top-level indexes, and tables in L0 pin all their index and filter blocks. A block is always charged the
// same amount.
func Accesses(t testing.TB, dir string, keys [][]byte, cacheBytes int64, pin bool) (all []Access, pinned int64) {
	t.Helper()
	var in strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&in, "%x\n", key)
	}
	out, err := accesses.run(in.String(), dir, strconv.FormatInt(cacheBytes, 10), strconv.FormatBool(pin))
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == cannotTrace {
		t.Skip("RocksDB before 7.8 does not trace accesses through its public headers")
	}
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	pinned, err = strconv.ParseInt(lines[0], 10, 64)
	require.NoError(t, err)
	for _, line := range lines[1:] {
		var a Access
		_, err := fmt.Sscan(line, &a.File, &a.Kind, &a.Hit)
		require.NoError(t, err)
		all = append(all, a)
	}
	return all, pinned
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
