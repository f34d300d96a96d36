#!/usr/bin/env bash
# configs/slurm/submit.sh CONFIG SHARDS PARTITION...: an array of SHARDS tasks on each partition (kind of GPU), then one
# job that merges each partition's shards and draws the figures, with several partitions also their comparison.
set -euo pipefail
here=$(dirname "$0")
config=${1:?the config, such as configs/sweep.json}
shards=${2:?the number of shards}
[[ $shards =~ ^[1-9][0-9]*$ ]] || { echo "submit.sh: $shards is no number of shards" >&2; exit 2; }
[ $# -gt 2 ] || { echo "submit.sh: a partition is missing; sinfo shows what there is" >&2; exit 2; }
shift 2

mkdir -p results # Slurm makes no folders for its logs
arrays=
for partition in "$@"; do
  job=$(sbatch --parsable --partition="$partition" --array="0-$((shards - 1))" "$here/array.sbatch" "$config" "$shards")
  echo "partition $partition: array $job of $shards"
  arrays+=":${job%%;*}"
done
merge=$(sbatch --parsable --partition="$1" --dependency="afterany$arrays" "$here/merge.sbatch" "$config" "$shards" "$@")
echo "merge and figures: ${merge%%;*}, after all of them"
