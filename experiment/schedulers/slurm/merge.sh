#!/bin/sh
# Merges the records of all cells, and reports them.
set -eu
"${GETIO:-getio}" merge "$1" -o "$1/all.jsonl"
"${GETIO:-getio}" report "$1/all.jsonl"
