#!/bin/sh
# Makes Cargo.lock of pinned.lock: the same crates, whose source is the registry as cargo
# calls it in a lock file of its own.
set -eu
cd "$(dirname "$0")"
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
mkdir "$probe/src"
: >"$probe/src/lib.rs"
printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\ncfg-if = "1"\n' >"$probe/Cargo.toml"
"${CARGO:-cargo}" generate-lockfile --quiet --manifest-path "$probe/Cargo.toml"
registry=$(sed -n 's/^source = "\(.*\)"$/\1/p' "$probe/Cargo.lock" | head -n 1)
test -n "$registry"
sed "s|^source = \"registry\"\$|source = \"$registry\"|" pinned.lock >"$probe/made"
mv "$probe/made" Cargo.lock
