#!/usr/bin/env bash
# Runs an experiment with one shard per MPI rank, and merges the shards afterwards.
#
# Usage: sweep.sh RANKS EXPERIMENT FOLDER [OPTION...]
#
#   RANKS       into how many parts it is cut, and how many processes run
#   EXPERIMENT  a shipped experiment or suite, or a TOML file that all nodes can read
#   FOLDER      on a file system that all nodes share; the results go to FOLDER/merged
#   OPTION...   further options of `updraft run`, such as --runs 1000
#
# The program is `updraft` on PATH, or what UPDRAFT says. MPIRUN may have options: MPIRUN="mpirun
# --hostfile nodes". The ranks do not talk to each other, so any launcher that sets a rank will do.
# If ranks were killed, the same command continues.
set -euo pipefail
if [[ $# -lt 3 ]]; then
  sed -n '4,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export UPDRAFT=${UPDRAFT:-updraft} EXPERIMENT=$2 FOLDER=$3
mkdir -p "$FOLDER"
${MPIRUN:-mpirun} -n "$1" "$here/rank.sh" "${@:4}"
exec "$UPDRAFT" merge "$FOLDER"/shard-*/ --out "$FOLDER/merged"
