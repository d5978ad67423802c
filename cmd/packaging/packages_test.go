// Package packaging_test tests the packages that `make package` made: `make package-test` names their
// directory. cmd/getio tests what they contain, with install.sh, in `make test`.
package packaging_test

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packagesEnv names the directory with the packages.
const packagesEnv = "GETIO_PACKAGES"

// mostBytes bounds a package: 26 MB today.
const mostBytes = 30_000_000

// packageFile is the one package whose name matches.
func packageFile(t *testing.T, pattern string) string {
	t.Helper()
	dir := os.Getenv(packagesEnv)
	if dir == "" {
		t.Skip("no packages to test: run 'make package-test'")
	}
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	require.Len(t, found, 1, "%s in %s", pattern, dir)
	info, err := os.Stat(found[0])
	require.NoError(t, err)
	t.Logf("%s: %.1f MB", filepath.Base(found[0]), float64(info.Size())/1e6)
	assert.Less(t, info.Size(), int64(mostBytes))
	return found[0]
}

func requireProgram(t *testing.T, name, of string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed: install %s", name, of)
	}
}

// output runs a command and returns what it prints.
func output(t *testing.T, command string, args ...string) string {
	t.Helper()
	out, err := exec.Command(command, args...).CombinedOutput()
	require.NoError(t, err, "%s %s: %s", command, strings.Join(args, " "), out)
	return string(out)
}

// requireStamped checks that a program names the commit that is checked out, and the version of the
// file that it came in.
func requireStamped(t *testing.T, file, program string) {
	t.Helper()
	version := output(t, program, "version")
	commit := strings.TrimSpace(output(t, "git", "rev-parse", "HEAD"))
	require.Contains(t, version, "(commit "+commit[:12], "the packages are of another commit: run 'make package'")
	stamp := regexp.MustCompile(`^getio version v(\S+)`).FindStringSubmatch(version)
	require.NotNil(t, stamp, version)
	plain := strings.NewReplacer("~", "-", ".", "-").Replace
	assert.Contains(t, plain(filepath.Base(file)), plain(stamp[1]))
}

// TestDeb installs the package with dpkg into a fresh root, and uses it there.
func TestDeb(t *testing.T) {
	deb := packageFile(t, "getio_*.deb")
	requireProgram(t, "dpkg", "dpkg")
	root := freshRoot(t)
	output(t, "dpkg", "--root="+root, "--path-include=*", "--install", deb)
	assert.Empty(t, output(t, "dpkg", "--root="+root, "--verify", "getio"))

	program := filepath.Join(root, "usr/bin/getio")
	requireStatic(t, program)
	requireStamped(t, deb, program)
	t.Run("demo", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "demo")
		shown := output(t, program, "demo", "--keys", "1M", "--dir", dir)
		assert.Contains(t, shown, "I/Os per Get by cache size")
		assert.FileExists(t, filepath.Join(dir, "1000000-keys.jsonl"))
	})
	t.Run("man", func(t *testing.T) {
		requireProgram(t, "man", "man-db")
		page := exec.Command("man", "-M", filepath.Join(root, "usr/share/man"), "getio-measure")
		page.Env = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8", "MANPAGER=cat")
		text, err := page.Output()
		require.NoError(t, err)
		for _, want := range []string{"GETIO-MEASURE(1)", "Measure I/Os per Get at one cache size", "--cache=", "EXAMPLE"} {
			assert.Contains(t, string(text), want)
		}
	})
	t.Run("purge", func(t *testing.T) {
		output(t, "dpkg", "--root="+root, "--purge", "getio")
		assert.NoFileExists(t, program)
		assert.NoDirExists(t, filepath.Join(root, "usr/share/doc/getio"))
	})
}

// freshRoot is a root directory in which dpkg has installed nothing yet.
func freshRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"info", "updates", "triggers"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	return root
}

func TestLintian(t *testing.T) {
	deb := packageFile(t, "getio_*.deb")
	requireProgram(t, "lintian", "lintian")
	found := output(t, "lintian", "--allow-root", "--suppress-tags", "statically-linked-binary", "--fail-on", "error", deb)
	assert.NotRegexp(t, `(?m)^E:`, found)
	t.Log(found)
}

// TestRPM installs the package with rpm into a fresh root. It asks for nothing.
func TestRPM(t *testing.T) {
	file := packageFile(t, "getio-*.rpm")
	requireProgram(t, "rpm", "rpm")
	root := t.TempDir()
	output(t, "rpm", "--root", root, "--initdb")
	output(t, "rpm", "--root", root, "--install", "--ignorearch", file)
	program := filepath.Join(root, "usr/bin/getio")
	requireStatic(t, program)
	requireStamped(t, file, program)
	owned := output(t, "rpm", "-qlp", file)
	assert.NotRegexp(t, `(?m)^/usr/(bin|share)(/man|/man/man1)?$`, owned, "it owns a directory of the system")
	assert.Contains(t, owned, "/usr/share/man/man1/getio-measure.1.gz\n")
}

func TestTarball(t *testing.T) {
	file := packageFile(t, "getio-*.tar.gz")
	dir := t.TempDir()
	output(t, "tar", "-C", dir, "--strip-components=1", "-xzf", file)
	program := filepath.Join(dir, "bin/getio")
	requireStatic(t, program)
	requireStamped(t, file, program)
	for _, name := range []string{
		"share/man/man1/getio-measure.1", "share/bash-completion/completions/getio", "share/zsh/site-functions/_getio",
		"share/fish/vendor_completions.d/getio.fish", "share/doc/getio/LICENSE", "share/doc/getio/docs/guide.md",
	} {
		assert.FileExists(t, filepath.Join(dir, name))
	}
	notices, err := os.ReadFile(filepath.Join(dir, "share/doc/getio/notices"))
	require.NoError(t, err)
	for _, project := range []string{"Go 1", "github.com/cockroachdb/pebble/v2", "github.com/erigontech/mdbx-go", "RocksDB", "libc", "libstdc++", "libsnappy"} {
		assert.Contains(t, string(notices), "\n"+project)
	}

	database := filepath.Join(t.TempDir(), "keys")
	for _, compression := range []string{"snappy", "lz4", "zstd", "zlib", "bzip2"} {
		output(t, program, "load", database+compression, "--keys", "20k", "--engine", "rocksdb", "--option", "compression="+compression)
		measured := output(t, program, "measure", database+compression, "--cache", "1MiB", "--gets", "2k", "--warmup", "2k")
		assert.Contains(t, measured, "per Get", compression)
	}
}

// requireStatic checks that a program needs no library and no loader, and has RocksDB.
func requireStatic(t *testing.T, program string) {
	t.Helper()
	f, err := elf.Open(program)
	require.NoError(t, err)
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
	for _, p := range f.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type, "it needs a loader")
	}
	require.Regexp(t, `rocksdb [0-9.]+ \(static\)`, output(t, program, "version"))
}

// TestPackagesAreReproducible makes the packages once more, at another time and in another place.
func TestPackagesAreReproducible(t *testing.T) {
	packageFile(t, "getio_*.deb")
	again := t.TempDir()
	second := exec.Command("sh", "package.sh", again)
	second.Env = append(os.Environ(), "TZ=Asia/Tokyo", "TMPDIR="+t.TempDir())
	out, err := second.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, pattern := range []string{"getio_*.deb", "getio-*.rpm", "getio-*.tar.gz"} {
		first := packageFile(t, pattern)
		assert.Equal(t, digest(t, first), digest(t, filepath.Join(again, filepath.Base(first))), pattern)
	}
}

func digest(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// TestImageOfNoTarball checks that image.sh says what to do.
func TestImageOfNoTarball(t *testing.T) {
	requireProgram(t, "buildah", "buildah")
	out, err := exec.Command("sh", "image.sh", t.TempDir()).CombinedOutput()
	require.Error(t, err)
	assert.Regexp(t, `^image\.sh needs one getio-\*\.tar\.gz in \S+: run package\.sh first\n$`, string(out))
}

// TestImage makes the image and runs a container of it, both without a registry.
func TestImage(t *testing.T) {
	tarball := packageFile(t, "getio-*.tar.gz")
	requireProgram(t, "buildah", "buildah")
	output(t, "sh", "image.sh", os.Getenv(packagesEnv))
	image := packageFile(t, "getio-*-oci.tar")
	store := t.TempDir()
	buildah := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("buildah", append([]string{"--root", store + "/root", "--runroot", store + "/run", "--storage-driver", "vfs"}, args...)...)
		var out, errOut bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errOut
		require.NoError(t, cmd.Run(), "buildah %s: %s", strings.Join(args, " "), errOut.String())
		return out.String()
	}
	container := strings.TrimSpace(buildah("from", "oci-archive:"+image))
	config := buildah("inspect", "--type", "container", container)
	assert.Contains(t, config, `"/usr/bin/getio"`)
	version := buildah("run", "--isolation", "chroot", container, "--", "/usr/bin/getio", "version")
	assert.Contains(t, version, strings.TrimSpace(output(t, "git", "rev-parse", "HEAD"))[:12])

	// A database of the host, which the container must not write to.
	unpacked, database := t.TempDir(), filepath.Join(t.TempDir(), "keys")
	output(t, "tar", "-C", unpacked, "--strip-components=1", "-xzf", tarball)
	output(t, filepath.Join(unpacked, "bin/getio"), "load", database, "--keys", "20k")
	for _, command := range []string{"inspect /data", "measure /data --cache 1MiB --gets 2k --warmup 2k"} {
		args := append([]string{"run", "--isolation", "chroot", "-v", database + ":/data:ro", container, "--", "/usr/bin/getio"}, strings.Fields(command)...)
		assert.Contains(t, buildah(args...), "per Get", command)
	}
	buildah("rm", container)
}
