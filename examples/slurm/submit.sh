#!/usr/bin/env bash
# Runs an experiment as a Slurm job array, one shard per task, and merges the shards afterwards.
#
# Usage: submit.sh EXPERIMENT SHARDS FOLDER [OPTION...]
#
#   EXPERIMENT  a shipped experiment or suite, or a TOML file that all nodes can read
#   SHARDS      into how many parts it is cut
#   FOLDER      on a file system that all nodes share; the results go to FOLDER/merged
#   OPTION...   further options of `updraft run`, such as --runs 1000
#
# The program is `updraft` on PATH, or what UPDRAFT says. Prints the job that merges.
set -euo pipefail
if [[ $# -lt 3 ]]; then
  sed -n '4,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export UPDRAFT=${UPDRAFT:-updraft} EXPERIMENT=$1 SHARDS=$2 FOLDER=$3
mkdir -p "$FOLDER"
array=$(sbatch --parsable --export=ALL --array="1-$SHARDS" --output="$FOLDER/shard-%a.log" \
  "$here/shard.sbatch" "${@:4}")
sbatch --parsable --export=ALL --dependency="afterok:$array" --kill-on-invalid-dep=yes \
  --output="$FOLDER/merge.log" "$here/merge.sbatch"
