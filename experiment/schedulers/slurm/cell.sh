#!/bin/sh
# A task of the array job: the cell of its number. What the cell prints goes to slurm-JOB_NUMBER.out.
exec "${GETIO:-getio}" run "$1" --data "$2" -o "$3"
