#!/bin/sh
# Makes the packages of the commit that is checked out, in DIR: package.sh DIR [-tags rocksdb]
#
#   getio-*.rpm and getio-*.tar.gz   a static program without RocksDB
#   getio_*.deb                      with RocksDB if the tags ask for it; it depends on this Debian's libraries
#
# Made again from the same commit with the same tools, they are the same to the byte.
set -eu
test $# -ge 1 || { echo "usage: package.sh DIR [-tags rocksdb]" >&2; exit 1; }
cd "$(dirname "$0")/../.."
out=$1
shift
go=${GO:-go}
here=cmd/packaging
git rev-parse HEAD >/dev/null || { echo "package.sh needs a git clone: versions of packages come from its commits" >&2; exit 1; }
export GOFLAGS="${GOFLAGS-} -trimpath" # no path of this clone in the programs
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # so that dash cleans up, too

# Without symbols, programs take a third less room. -buildvcs stamps the version and the commit.
"$go" build -buildvcs=true -tags netgo,osusergo -ldflags '-s -w -linkmode=external -extldflags=-static' -o "$work/static" ./cmd/getio

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
	mkdir -p "$doc/docs/pictures"
	cp README.md "$doc"
	cp docs/*.md "$doc/docs"
	cp docs/pictures/*.svg "$doc/docs/pictures"
	"$work/notices" "$1" >"$doc/notices"
}
# settle gives all files the time of the commit.
settle() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

"$go" build -o "$work/notices" ./$here/notices
"$go" build -modfile=$here/nfpm/go.mod -o "$work/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
mkdir -p "$out"
rm -f "$out"/getio_*.deb "$out"/getio-*.rpm "$out"/getio-*.tar.gz "$out"/getio-*-oci.tar # of other commits

# The tarball.
name=getio-$VERSION-linux-$ARCH
stage "$work/static" "$work/$name"
libc=${LIBC_COPYRIGHT:-/usr/share/doc/libc6-dev/copyright}
if [ ! -e "$libc" ]; then
	echo "package.sh: the licence of the C library, which is linked statically, is not in $libc: name its file in LIBC_COPYRIGHT" >&2
	exit 1
fi
printf '\n%s\nThe GNU C Library, which is linked statically\n\n' "$(printf '%072d' 0 | tr 0 =)" | cat - "$libc" >>"$work/$name/share/doc/getio/notices"
cp LICENSE "$work/$name/share/doc/getio"
settle "$work/$name"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$work" -cf "$work/tar" "$name"
gzip -9n <"$work/tar" >"$out/$name.tar.gz"

# pack makes a package of one kind with the packager. Manual pages and notices are compressed.
pack() { # KIND ROOT
	gzip -9n "$2"/share/man/man1/*.1 "$2/share/doc/getio/notices"
	settle "$2"
	STAGE=$2 "$work/nfpm" package -f $here/nfpm.yaml -p "$1" -t "$out/" >/dev/null
}

DEPENDS=
export DEPENDS
pack rpm "$work/$name"

if ! command -v dpkg-shlibdeps >/dev/null; then
	echo "package.sh makes no .deb without dpkg-shlibdeps: install Debian's dpkg-dev" >&2
	ls -l "$out"
	exit
fi
"$go" build -buildvcs=true "$@" -ldflags '-s -w' -o "$work/deb" ./cmd/getio
stage "$work/deb" "$work/debian"
if test -n "${ROCKSDB_NOTICES-}"; then
	printf '\n%s\nRocksDB, which is linked statically\n\n' "$(printf '%072d' 0 | tr 0 =)" | cat - "$ROCKSDB_NOTICES" >>"$work/debian/share/doc/getio/notices"
fi
cat >"$work/changelog" <<END
getio ($VERSION-$RELEASE) unstable; urgency=medium

  * Built from commit $commit.

 -- $MAINTAINER  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
gzip -9n <"$work/changelog" >"$work/debian/share/doc/getio/changelog.Debian.gz"
mkdir "$work/debian/debian"
printf 'Source: getio\n\nPackage: getio\nArchitecture: any\n' >"$work/debian/debian/control"
DEPENDS=$(cd "$work/debian" && dpkg-shlibdeps -O bin/getio 2>"$work/warnings" | sed -n 's/^shlibs:Depends=//p')
test -n "$DEPENDS" || { cat "$work/warnings" >&2; exit 1; }
pack deb "$work/debian"

ls -l "$out"
