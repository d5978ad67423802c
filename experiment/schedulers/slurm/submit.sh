#!/bin/sh
# Submits the cells of a plan as an array job, and a job that merges their records when all are there.
# Prints the numbers of both. Sbatch's options go to the array job; the task of a cell asks for the
# memory that the plan predicts for the largest cell, unless they say otherwise.
set -eu
if [ $# -lt 3 ]; then
	echo "usage: submit.sh PLAN DATA CELLS [SBATCH-OPTION...], where DATA holds the datasets and CELLS will hold the records" >&2
	exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
plan=$1 data=$2 cells=$3
shift 3
last=$(($(wc -l <"$plan") - 1))
# Nodes count the page cache as memory of the task: 512 MiB are left for it.
mib=$(sed -n 's/.*"memory_bytes":\([0-9]*\).*/\1/p' "$plan" | sort -n | tail -n 1 | awk '{ print int($1 / 1048576) + 1 + 512 }')
if [ "$last" -lt 0 ] || [ -z "$mib" ]; then
	echo "submit.sh: $plan holds no cells: make it with 'getio plan'" >&2
	exit 1
fi
array=$(sbatch --parsable --job-name=getio --requeue --array="0-$last" --mem="${mib}M" "$@" "$here/cell.sh" "$plan" "$data" "$cells")
merge=$(sbatch --parsable --job-name=getio-merge --dependency="afterok:$array" --kill-on-invalid-dep=yes "$here/merge.sh" "$cells")
echo "array job $array, cells 0 to $last; job $merge merges them into $cells/all.jsonl"
