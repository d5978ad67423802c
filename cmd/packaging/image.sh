#!/bin/sh
# Makes an OCI image of the program in the tarball that package.sh made, with nothing else in it and
# without a registry: image.sh DIR writes DIR/getio-VERSION-linux-ARCH-oci.tar.
set -eu
test $# -eq 1 || { echo "usage: image.sh DIR" >&2; exit 1; }
command -v buildah >/dev/null || { echo "image.sh needs buildah: install it from your distribution" >&2; exit 1; }
umask 022
dir=$(cd -- "$1" >/dev/null && pwd)
tarball=$(find "$dir" -maxdepth 1 -name 'getio-*.tar.gz')
test -f "$tarball" || { echo "image.sh needs one getio-*.tar.gz in $dir: run package.sh first" >&2; exit 1; }
name=$(basename "$tarball" .tar.gz)
image=$dir/$name-oci.tar
version=${name#getio-}
version=${version%-linux-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # so that dash cleans up, too
# Images and containers of others are left alone: it has a store of its own.
builder() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }

tar -C "$work" -xzf "$tarball"
mkdir -p "$work/image/usr/bin" "$work/image/data" "$work/image/tmp"
chmod 1777 "$work/image/tmp"
cp -p "$work/$name/bin/getio" "$work/image/usr/bin/"
made=$(stat -c %Y "$work/$name/bin/getio") # the time of the commit
find "$work/image" -exec touch -d "@$made" {} +

container=$(builder from scratch)
builder copy --quiet "$container" "$work/image" / >/dev/null
builder config --entrypoint '["/usr/bin/getio"]' --cmd --help --env PATH=/usr/bin --workingdir /data \
	--label org.opencontainers.image.title=getio \
	--label org.opencontainers.image.version="$version" \
	--label org.opencontainers.image.licenses=Apache-2.0 "$container"
rm -f "$image"
builder commit --quiet --rm --disable-compression=false --timestamp "$made" "$container" \
	"oci-archive:$image:getio:$(echo "$version" | tr '~+' '--')" >/dev/null
ls -l "$image"
