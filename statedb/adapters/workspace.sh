#!/bin/sh
# Makes the workspace that cargo builds in DIR/adapters, where all clones share it: the sources, of
# which unchanged files keep their times, so that cargo compiles only what changed; the frames that
# the protocol's tests read; and Cargo.lock, which is pinned.lock with the source of the crates as
# cargo calls the registry here.
set -eu
test -n "${1:-}" || { echo "usage: workspace.sh DIR" >&2; exit 1; }
mkdir -p "$1"
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

sources() {
	find adapters adapter/testdata/frames.txt -type f \
		\( -name '*.rs' -o -name 'Cargo.toml' -o -name 'pinned.lock' -o -name 'frames.txt' \)
}
sources >"$to/.sources"
while read -r f; do
	mkdir -p "$to/$(dirname "$f")"
	cmp -s "$f" "$to/$f" || cp "$f" "$to/$f"
done <"$to/.sources"
cd "$to"
sources | grep -vxFf .sources | xargs -r rm --

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
mkdir "$probe/src"
: >"$probe/src/lib.rs"
printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\ncfg-if = "1"\n' >"$probe/Cargo.toml"
"${CARGO:-cargo}" generate-lockfile --quiet --manifest-path "$probe/Cargo.toml"
registry=$(sed -n 's/^source = "\(.*\)"$/\1/p' "$probe/Cargo.lock" | head -n 1)
test -n "$registry"
sed "s|^source = \"registry\"\$|source = \"$registry\"|" adapters/pinned.lock >adapters/Cargo.lock
