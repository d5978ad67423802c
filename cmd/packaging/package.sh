#!/bin/sh
# Makes the packages of the commit that is checked out, in DIR: package.sh DIR, run by `make package`.
#
#   getio_*.deb, getio-*.rpm, getio-*.tar.gz   one static program, with the RocksDB that CGO_LDFLAGS name
#
# Made again from the same commit with the same tools, they are the same to the byte.
set -eu
test $# -eq 1 || { echo "usage: package.sh DIR" >&2; exit 1; }
cd "$(dirname "$0")/../.."
out=$1
go=${GO:-go}
test -e "${ROCKSDB_NOTICES-}" || { echo "package.sh needs RocksDB as a static library: run 'make package', which builds it" >&2; exit 1; }
here=cmd/packaging
git rev-parse HEAD >/dev/null || { echo "package.sh needs a git clone: versions of packages come from its commits" >&2; exit 1; }
export GOFLAGS="${GOFLAGS-} -trimpath" # no path of this clone in the programs
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # so that dash cleans up, too

# Without symbols, programs take a third less room. -buildvcs stamps the version and the commit.
"$go" build -buildvcs=true -tags rocksdb,netgo,osusergo -ldflags '-s -w -linkmode=external -extldflags=-static' -o "$work/static" ./cmd/getio

# The version that Go stamped: v1.2.3, or v0.0.0-20261125093024-588c4d17eb9b between releases, which
# is 0.0.0~20261125093024.588c4d17eb9b here, for ~ sorts before the release.
stamped() { "$go" version -m "$work/static" | sed -n "s/^\t$1[\t ]*//p"; }
VERSION=$(stamped 'mod\tgetio' | sed 's/\t.*//; s/^v//; s/-/~/; s/-/./g')
SOURCE_DATE_EPOCH=$(date -u -d "$(stamped 'build\tvcs.time=')" +%s)
commit=$(stamped 'build\tvcs.revision=')
RELEASE=1
ARCH=$("$go" env GOARCH)
MAINTAINER=${MAINTAINER:-getio maintainers <maintainers@getio.invalid>}
export VERSION RELEASE ARCH MAINTAINER SOURCE_DATE_EPOCH

# stage lays out a program with all that belongs to it under a directory.
stage() { # BINARY ROOT
	$here/install.sh "$1" "$2"
	doc=$2/share/doc/getio
	mkdir -p "$doc/docs/pictures" "$doc/results"
	cp README.md "$doc"
	cp docs/*.md "$doc/docs"
	cp results/*.md "$doc/results"
	cp docs/pictures/*.svg "$doc/docs/pictures"
	{ "$work/notices" "$1" && cat "$work/linked"; } >"$doc/notices"
}
# settle gives all files the time of the commit.
settle() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

"$go" build -o "$work/notices" ./$here/notices
"$go" build -modfile=$here/nfpm/go.mod -o "$work/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
mkdir -p "$out"
rm -f "$out"/getio_*.deb "$out"/getio-*.rpm "$out"/getio-*.tar.gz "$out"/getio-*-oci.tar # of other commits

# The licences of the libraries that are not in Go. COPYRIGHTS names a file with those of the system's, where there is
# no dpkg to find them.
licence() { # NAME FILE
	printf '\n%s\n%s, which is linked statically\n\n' "$(printf '%072d' 0 | tr 0 =)" "$1" | cat - "$2" >>"$work/linked"
}
licence RocksDB "$ROCKSDB_NOTICES"
if test -n "${COPYRIGHTS-}"; then
	licence "What the system's libraries contain" "$COPYRIGHTS"
else
	for library in c stdc++ snappy lz4 zstd z bz2; do
		package=$(dpkg -S "$(realpath "$(${CXX:-c++} -print-file-name=lib$library.a)")" | cut -d: -f1)
		licence "lib$library" "/usr/share/doc/$package/copyright"
	done
fi

# The tarball.
name=getio-$VERSION-linux-$ARCH
stage "$work/static" "$work/$name"
cp LICENSE "$work/$name/share/doc/getio"
settle "$work/$name"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$work" -cf "$work/tar" "$name"
gzip -9n <"$work/tar" >"$out/$name.tar.gz"

# The .rpm and the .deb, in which manual pages and notices are compressed.
cat >"$work/changelog" <<END
getio ($VERSION-$RELEASE) unstable; urgency=medium

  * Built from commit $commit.

 -- $MAINTAINER  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
STAGE=$work/$name
export STAGE
gzip -9n <"$work/changelog" >"$STAGE/share/doc/getio/changelog.Debian.gz"
gzip -9n "$STAGE"/share/man/man1/*.1 "$STAGE/share/doc/getio/notices"
settle "$STAGE"
for kind in rpm deb; do
	"$work/nfpm" package -f $here/nfpm.yaml -p $kind -t "$out/" >/dev/null
done

ls -l "$out"
