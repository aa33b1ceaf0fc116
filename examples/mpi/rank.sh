#!/usr/bin/env bash
# One rank: shard rank + 1 of as many as there are ranks. Knows Open MPI, MPICH and srun.
set -euo pipefail
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:?no rank: start this with mpirun or srun}}}
ranks=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:?}}}
exec "$UPDRAFT" run "$EXPERIMENT" --shard "$((rank + 1))/$ranks" --quiet --threads 1 \
  --out "$FOLDER/shard-$((rank + 1))" "$@"
