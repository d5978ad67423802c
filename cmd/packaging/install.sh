#!/bin/sh
# Installs getio: install.sh BINARY ROOT copies the program to ROOT/bin and lets it write its manual
# pages and its completions for bash, fish and zsh to ROOT/share.
set -eu
test $# -eq 2 || { echo "usage: install.sh BINARY ROOT" >&2; exit 1; }
umask 022
bin=$2/bin share=$2/share
man=$share/man/man1
bash=$share/bash-completion/completions
fish=$share/fish/vendor_completions.d
zsh=$share/zsh/site-functions

mkdir -p "$bin" "$man" "$bash" "$fish" "$zsh"
install -m 755 "$1" "$bin/getio"
"$bin/getio" man "$man"
"$bin/getio" completion bash >"$bash/getio"
"$bin/getio" completion fish >"$fish/getio.fish"
"$bin/getio" completion zsh >"$zsh/_getio"
